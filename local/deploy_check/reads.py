"""All requests that `satchel deploy-check` may send. None of them writes, and none reads a secret's value."""

from typing import NamedTuple


class Read(NamedTuple):
    """A request: boto3's name of the service, the operation, and the IAM action that it needs."""

    service: str
    operation: str
    action: str


def _read(service: str, operation: str, action: str = "") -> Read:
    return Read(service, operation, action or f"{service}:{operation}")


GET_CALLER_IDENTITY = _read("sts", "GetCallerIdentity")
DESCRIBE_STACKS = _read("cloudformation", "DescribeStacks")
LIST_STACK_RESOURCES = _read("cloudformation", "ListStackResources")
GET_PARAMETERS = _read("ssm", "GetParameters")

GET_FUNCTION = _read("lambda", "GetFunctionConfiguration")
GET_ACCOUNT_SETTINGS = _read("lambda", "GetAccountSettings")
GET_FUNCTION_CONCURRENCY = _read("lambda", "GetFunctionConcurrency")
DESCRIBE_STATE_MACHINE = _read("stepfunctions", "DescribeStateMachine", "states:DescribeStateMachine")
DESCRIBE_LOG_GROUPS = _read("logs", "DescribeLogGroups")
LIST_DASHBOARDS = _read("cloudwatch", "ListDashboards")
DESCRIBE_USER_POOL = _read("cognito-idp", "DescribeUserPool")
DESCRIBE_USER_POOL_DOMAIN = _read("cognito-idp", "DescribeUserPoolDomain")

LIST_DISTRIBUTIONS = _read("cloudfront", "ListDistributions")
LIST_ACCESS_CONTROLS = _read("cloudfront", "ListOriginAccessControls")
LIST_HEADERS_POLICIES = _read("cloudfront", "ListResponseHeadersPolicies")
DESCRIBE_CERTIFICATE = _read("acm", "DescribeCertificate")

LIST_BUCKETS = _read("s3", "ListBuckets", "s3:ListAllMyBuckets")
HEAD_BUCKET = _read("s3", "HeadBucket", "s3:ListBucket")
LIST_TABLES = _read("dynamodb", "ListTables")
DESCRIBE_TABLE = _read("dynamodb", "DescribeTable")
DESCRIBE_TIME_TO_LIVE = _read("dynamodb", "DescribeTimeToLive")

LIST_SERVICE_QUOTAS = _read("service-quotas", "ListServiceQuotas", "servicequotas:ListServiceQuotas")
DESCRIBE_SECRET = _read("secretsmanager", "DescribeSecret")
GET_MODEL = _read("bedrock", "GetFoundationModel")
GET_MODEL_AVAILABILITY = _read("bedrock", "GetFoundationModelAvailability")
GET_INFERENCE_PROFILE = _read("bedrock", "GetInferenceProfile")

READS = frozenset(value for value in globals().values() if isinstance(value, Read))
