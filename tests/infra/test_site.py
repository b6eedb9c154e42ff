"""The page and the API under one host name, and sign-in to the page."""

import json
from typing import Any

import pytest

from infra.page_headers import page_headers
from tests.infra.templates import Stacks, name_of

pytestmark = pytest.mark.synth


def _distribution(stacks: Stacks) -> dict[str, Any]:
    distributions = stacks.properties("AWS::CloudFront::Distribution")
    assert distributions.keys() == {"SiteDistribution", "AppsDistribution"}
    config: dict[str, Any] = distributions["SiteDistribution"]["DistributionConfig"]
    return config


def _origins(stacks: Stacks) -> dict[str, dict[str, Any]]:
    config = _distribution(stacks)
    by_id = {origin["Id"]: origin for origin in config["Origins"]}
    behaviors = {each["PathPattern"]: each for each in config["CacheBehaviors"]}
    return {
        "/": by_id[config["DefaultCacheBehavior"]["TargetOriginId"]],
        **{path: by_id[each["TargetOriginId"]] for path, each in behaviors.items()},
    }


def _policy(stacks: Stacks) -> dict[str, Any]:
    (policy,) = stacks.properties("AWS::CloudFront::ResponseHeadersPolicy").values()
    config: dict[str, Any] = policy["ResponseHeadersPolicyConfig"]
    return config


def test_page_api_and_sockets_share_a_host(stacks: Stacks) -> None:
    origins = _origins(stacks)
    assert origins["/"]["DomainName"] == "{SiteFiles.RegionalDomainName}"
    assert origins["/api/*"]["DomainName"] == "{WebHttp}.execute-api.{AWS::Region}.{AWS::URLSuffix}"
    assert origins["/ws"]["DomainName"] == "{SocketApi}.execute-api.{AWS::Region}.{AWS::URLSuffix}"
    # The path is the name of the stage, so CloudFront need not rewrite it.
    stages = stacks.properties("AWS::ApiGatewayV2::Stage")
    assert {stage["StageName"] for stage in stages.values()} == {"$default", "ws"}


def test_api_responses_are_not_cached_and_requests_are_forwarded_whole(stacks: Stacks) -> None:
    disabled, all_but_host = "4135ea2d-6df8-44a3-9df3-4b5a84be39ad", "b689b0a8-53d0-40ab-baf2-68738e2966ac"
    behaviors = {each["PathPattern"]: each for each in _distribution(stacks)["CacheBehaviors"]}
    for behavior in (behaviors["/api/*"], behaviors["/ws"]):
        assert behavior["CachePolicyId"] == disabled
        assert behavior["OriginRequestPolicyId"] == all_but_host
        assert behavior["ViewerProtocolPolicy"] == "https-only"
        assert {"GET", "HEAD", "POST", "DELETE"} <= set(behavior["AllowedMethods"])


def test_public_keys_are_cached_and_requested_from_the_api_by_its_own_host_name(stacks: Stacks) -> None:
    caching_optimized = "658327ea-f89d-4fab-a63d-7e88639e58f6"
    (behavior,) = (each for each in _distribution(stacks)["CacheBehaviors"] if each["PathPattern"].startswith("/.well"))
    assert behavior["PathPattern"] == "/.well-known/jwks.json"
    assert behavior["CachePolicyId"] == caching_optimized
    assert "OriginRequestPolicyId" not in behavior
    origins = _origins(stacks)
    assert origins[behavior["PathPattern"]]["DomainName"] == origins["/api/*"]["DomainName"]


def test_cloudfront_timeout_exceeds_the_timeout_of_api_gateway(stacks: Stacks) -> None:
    origins = _origins(stacks)
    assert {origins[path]["CustomOriginConfig"]["OriginReadTimeout"] for path in ("/api/*", "/ws")} == {35}


def test_only_cloudfront_may_read_the_page_bucket(stacks: Stacks) -> None:
    bucket = stacks.properties("AWS::S3::Bucket")["SiteFiles"]
    assert set(bucket["PublicAccessBlockConfiguration"].values()) == {True}
    statements = stacks.properties("AWS::S3::BucketPolicy")["SiteFilesPolicy"]["PolicyDocument"]["Statement"]
    (reads,) = (each for each in statements if each["Effect"] == "Allow")
    assert reads["Principal"] == {"Service": "cloudfront.amazonaws.com"}
    assert reads["Action"] == "s3:GetObject"
    assert "{SiteDistribution}" in reads["Condition"]["StringEquals"]["AWS:SourceArn"]


def test_page_headers_equal_those_of_the_local_server(stacks: Stacks) -> None:
    policy = _policy(stacks)
    expected = page_headers(
        store="https://s3.{AWS::Region}.{AWS::URLSuffix}/{Files}/",
        sockets="'self'",
        apps="https://{AppsDistribution.DomainName}",
        sign_in=(
            "https://cognito-idp.{AWS::Region}.{AWS::URLSuffix}",
            "https://satchel-{AWS::AccountId}.auth.{AWS::Region}.amazoncognito.com",
        ),
    )
    security = policy["SecurityHeadersConfig"]
    actual = {
        "Content-Security-Policy": security["ContentSecurityPolicy"]["ContentSecurityPolicy"],
        "Referrer-Policy": security["ReferrerPolicy"]["ReferrerPolicy"],
        "X-Frame-Options": security["FrameOptions"]["FrameOption"],
        "X-Content-Type-Options": "nosniff" if security["ContentTypeOptions"]["Override"] else None,
        "Strict-Transport-Security": "max-age={AccessControlMaxAgeSec}; includeSubDomains".format_map(
            security["StrictTransportSecurity"]
        ),
    }
    others = {each["Header"]: each["Value"] for each in policy["CustomHeadersConfig"]["Items"]}
    assert actual | others == expected


def test_content_security_policy_allows_the_configured_origins(custom_settings: Stacks) -> None:
    security = _policy(custom_settings)["SecurityHeadersConfig"]
    policy = security["ContentSecurityPolicy"]["ContentSecurityPolicy"]
    assert "frame-src https://{AppsDistribution.DomainName} https://dash.example https://metrics.example:8443" in policy
    (connect,) = (part for part in policy.split("; ") if part.startswith("connect-src"))
    assert {"wss://chat.example.com", "https://issuer.example"} <= set(connect.split())


def test_custom_domain_uses_its_certificate(custom_settings: Stacks) -> None:
    config = _distribution(custom_settings)
    assert config["Aliases"] == ["chat.example.com"]
    assert config["ViewerCertificate"]["MinimumProtocolVersion"] == "TLSv1.2_2021"
    assert config["ViewerCertificate"]["AcmCertificateArn"].startswith("arn:aws:acm:us-east-1:")


def test_sign_in_uses_an_authorization_code_and_returns_to_the_page(stacks: Stacks) -> None:
    client = stacks.properties("AWS::Cognito::UserPoolClient")["Client"]
    assert client["AllowedOAuthFlows"] == ["code"]
    assert client["AllowedOAuthScopes"] == ["openid", "email"]
    assert client["GenerateSecret"] is False
    assert client["CallbackURLs"] == client["LogoutURLs"] == ["https://{SiteDistribution.DomainName}/"]
    assert client["PreventUserExistenceErrors"] == "ENABLED"


def test_email_must_be_verified_and_the_page_cannot_change_it(stacks: Stacks) -> None:
    pool = stacks.properties("AWS::Cognito::UserPool")["People"]
    assert pool["AutoVerifiedAttributes"] == ["email"]
    assert pool["UserAttributeUpdateSettings"] == {"AttributesRequireVerificationBeforeUpdate": ["email"]}
    assert stacks.properties("AWS::Cognito::UserPoolClient")["Client"]["WriteAttributes"] == ["name"]


def test_page_config_has_the_sign_in_settings(stacks: Stacks, custom_settings: Stacks) -> None:
    assert json.loads(stacks.environment("PublishPage")["SATCHEL_PAGE_CONFIG"]) == {
        "auth": "oidc",
        "authority": "https://cognito-idp.{AWS::Region}.{AWS::URLSuffix}/{People}",
        "client_id": "{Client}",
        "scope": "openid email",
        "logout_url": "https://satchel-{AWS::AccountId}.auth.{AWS::Region}.amazoncognito.com/logout",
        "apps": "https://{AppsDistribution.DomainName}",
    }
    assert json.loads(custom_settings.environment("PublishPage")["SATCHEL_PAGE_CONFIG"]) == {
        "auth": "oidc",
        "authority": "https://issuer.example",
        "client_id": "web",
        "scope": "openid email",
        "apps": "https://{AppsDistribution.DomainName}",
    }


def test_apps_have_a_host_of_their_own_that_serves_only_their_frame(stacks: Stacks, custom_settings: Stacks) -> None:
    config = stacks.properties("AWS::CloudFront::Distribution")["AppsDistribution"]["DistributionConfig"]
    assert [origin["DomainName"] for origin in config["Origins"]] == ["unused.invalid"]
    assert "CacheBehaviors" not in config
    (association,) = config["DefaultCacheBehavior"]["FunctionAssociations"]
    assert association["EventType"] == "viewer-request"
    for each, page in ((stacks, "https://*.cloudfront.net"), (custom_settings, "https://chat.example.com")):
        (function,) = each.properties("AWS::CloudFront::Function").values()
        assert f"frame-ancestors {page};" in function["FunctionCode"]


def test_page_is_published_after_each_deployment_and_checked_every_15_minutes(stacks: Stacks) -> None:
    rule = stacks.properties("AWS::Events::Rule")["PageDeployedRule"]
    assert [target["Arn"] for target in rule["Targets"]] == ["{PublishPage.Arn}"]
    assert rule["EventPattern"]["detail"]["status-details"] == {"status": ["CREATE_COMPLETE", "UPDATE_COMPLETE"]}
    check = stacks.properties("AWS::Events::Rule")["PageCheck"]
    assert [target["Arn"] for target in check["Targets"]] == ["{PublishPage.Arn}"]
    assert (check["ScheduleExpression"], check["State"]) == ("rate(15 minutes)", "ENABLED")
    writes = [each for each in stacks.statements() if each.role == "PublishPage" and "s3:PutObject" in each.actions]
    assert [each.resources for each in writes] == [["{SiteFiles.Arn}/*"]]


def test_rules_that_publish_the_page_are_deleted_before_its_bucket_is_emptied(stacks: Stacks) -> None:
    """CloudFormation deletes in the reverse order of the dependencies. A rule that remains could publish again."""
    rules = stacks.resources("AWS::Events::Rule")
    for name in ("PageDeployedRule", "PageCheck"):
        assert "EmptiedPageFiles" in [name_of(each) for each in rules[name]["DependsOn"]]


def test_names_that_are_unique_in_an_account_contain_stack_and_region(
    stacks: Stacks, custom_settings: Stacks, without_site: Stacks
) -> None:
    """CloudFront and dashboards are global, so a second region or a second name must not reuse a name."""
    for deployment, stack in ((stacks, "satchel"), (custom_settings, "team"), (without_site, "satchel")):
        named = {
            **{k: v["ResponseHeadersPolicyConfig"]["Name"] for k, v in _all(deployment, "ResponseHeadersPolicy")},
            **{k: v["OriginAccessControlConfig"]["Name"] for k, v in _all(deployment, "OriginAccessControl")},
            **{k: v["DashboardName"] for k, v in deployment.properties("AWS::CloudWatch::Dashboard").items()},
        }
        assert len(named) == (1 if deployment is without_site else 3)
        assert set(named.values()) == {f"{stack}-service-{{AWS::Region}}"}
        for kind, name in (("IAM::Role", "RoleName"), ("IAM::Policy", "UserName"), ("S3::Bucket", "BucketName")):
            assert not any(name in each for each in deployment.properties(f"AWS::{kind}").values())


def _all(stacks: Stacks, kind: str) -> list[tuple[str, dict[str, Any]]]:
    return list(stacks.properties(f"AWS::CloudFront::{kind}").items())


def test_api_serves_the_page_without_cloudfront(without_site: Stacks) -> None:
    kinds = {each["Type"] for each in without_site.service["Resources"].values()}
    assert not any(kind.startswith("AWS::CloudFront::") for kind in kinds)
    assert "Distribution" not in without_site.service["Outputs"]
    host = "{WebHttp}.execute-api.{AWS::Region}.{AWS::URLSuffix}"
    variables = without_site.environment("Page")
    assert json.loads(variables["SATCHEL_PAGE_HEADERS"]) == page_headers(
        store="https://s3.{AWS::Region}.{AWS::URLSuffix}/kept-files/",
        sockets="wss://{SocketApi}.execute-api.{AWS::Region}.{AWS::URLSuffix}",
        sign_in=without_site_sign_in(without_site),
    )
    routes = without_site.properties("AWS::ApiGatewayV2::Route").values()
    open_routes = {each["RouteKey"] for each in routes if each.get("AuthorizationType") == "NONE"}
    assert {"GET /", "HEAD /", "GET /{proxy+}", "HEAD /{proxy+}"} <= open_routes
    assert without_site.environment("Api")["SATCHEL_PUBLIC_URL"] == f"https://{host}"
    socket_url = "wss://{SocketApi}.execute-api.{AWS::Region}.{AWS::URLSuffix}/ws"
    assert without_site.environment("Api")["SATCHEL_SOCKET_URL"] == socket_url
    client = without_site.properties("AWS::Cognito::UserPoolClient")["Client"]
    assert client["CallbackURLs"] == [f"https://{host}/"]


def without_site_sign_in(stacks: Stacks) -> tuple[str, str]:
    (domain,) = stacks.properties("AWS::Cognito::UserPoolDomain").values()
    page = f"https://{domain['Domain']}.auth.{{AWS::Region}}.amazoncognito.com"
    return ("https://cognito-idp.{AWS::Region}.{AWS::URLSuffix}", page)
