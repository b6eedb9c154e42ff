"""What stands before the page and tells of the system: nothing of it does anything on this machine."""

from tests.infra.deployment.types.kind import stands_for

KINDS = (
    stands_for("AWS::CloudFront::CachePolicy", Id="{id}"),
    stands_for("AWS::CloudFront::Distribution", Id="{id}", DomainName="{id}.cloudfront.net"),
    stands_for("AWS::CloudFront::Function", FunctionARN="arn:aws:cloudfront::123456789012:function/{id}"),
    stands_for("AWS::CloudFront::OriginAccessControl", Id="{id}"),
    stands_for("AWS::CloudFront::OriginRequestPolicy", Id="{id}"),
    stands_for("AWS::CloudFront::ResponseHeadersPolicy", Id="{id}"),
    stands_for("AWS::CloudWatch::Alarm", Arn="arn:aws:cloudwatch:us-east-1:123456789012:alarm:{id}"),
    stands_for("AWS::CloudWatch::Dashboard"),
    stands_for("AWS::Logs::MetricFilter"),
    stands_for("AWS::Logs::ResourcePolicy"),
)
