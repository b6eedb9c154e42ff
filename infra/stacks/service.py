"""The stack of the functions, state machine, APIs and page. It stores no data, so it can be deleted and recreated."""

from collections.abc import Mapping

from aws_cdk import Annotations, CfnOutput, Stack
from constructs import Construct

from infra.constructs.app_site import AppSite
from infra.constructs.bridge import Bridge
from infra.constructs.dashboard_keys import DashboardKeys
from infra.constructs.emptied_buckets import EmptiedBuckets
from infra.constructs.function import PythonFunction
from infra.constructs.key_rotation import KeyRotation
from infra.constructs.layers import FunctionLayers
from infra.constructs.monitoring import Alarms, Dashboard
from infra.constructs.runners import Runners
from infra.constructs.sign_in import SignIn, create_issuer, create_sign_in
from infra.constructs.site import Site
from infra.constructs.socket_api import SocketApi
from infra.constructs.stores import Stores, existing_bucket, existing_table
from infra.constructs.triggers import DeadLetters, PagePublication, Schedule, ToolRefresh, TurnStream
from infra.constructs.turn_workflow import TurnWorkflow, turn_machine_arn
from infra.constructs.web_api import WebApi
from infra.limits import SWEEP_MINUTES
from infra.page_headers import page_headers
from infra.servers import Servers
from infra.settings import Settings
from infra.stacks.data import DataStack
from infra.stacks.functions import Functions


class ServiceStack(Stack):
    """The stack of all resources that store no data. It creates the constructs and connects them."""

    def __init__(self, scope: Construct, id_: str, *, settings: Settings, data: DataStack) -> None:
        super().__init__(scope, id_, description="Satchel: functions, state machine, APIs and page")
        self._settings = settings
        self._stores = stores = _stores(self, settings, data)
        self._issuer = create_issuer(self, settings=settings, own_pool=data.user_pool)
        servers = Servers(settings.servers)
        for number, warning in enumerate(servers.warnings, start=1):
            Annotations.of(self).add_warning_v2(f"satchel:mcp.json:{number}", f"mcp.json: {warning}")
        layers = FunctionLayers(self, "Layers", platform=settings.platform, servers=servers)
        dead_letters = DeadLetters(self, "Lost")
        web, sockets = WebApi(self, "Web", settings=settings), SocketApi(self, "Socket", settings=settings)
        apps = self._apps()
        headers = self._page_headers(sockets, apps)
        site = None
        if settings.site == "cloudfront":
            site = Site(self, "Site", settings=settings, api=web.host, sockets=sockets.host, headers=headers)
        url = settings.public_url or f"https://{site.host if site else web.host}"
        machine_name = f"{settings.name}-turn"
        machine_arn = turn_machine_arn(self, machine_name)
        functions = Functions(
            self,
            settings=settings,
            stores=stores,
            layers=layers,
            machine_arn=machine_arn,
            url=url,
            # ``public_url`` names a proxy that may not support WebSocket, so clients then use API Gateway directly.
            socket_url=sockets.url if settings.public_url or not site else f"wss://{site.host}/ws",
        )
        runners = Runners(
            self,
            "Run",
            settings=settings,
            servers=servers,
            function_layers=layers,
            environment=functions.store_names
            | functions.max_file_size
            | functions.isolation
            | settings.input_in_call_environment,
            machine_arn=machine_arn,
        )
        steps = {
            "think": functions.think(sockets),
            "dispatch": functions.dispatch(runners),
            "finish": functions.finish(runners),
        }
        workflow = TurnWorkflow(
            self,
            "Turn",
            name=machine_name,
            **steps,
            dead_letters=dead_letters,
            settings=settings,
        )
        rotation = KeyRotation(
            self, "KeyRotation", secret=stores.capability_secret, function_layers=layers, settings=settings
        )
        dashboard_keys = DashboardKeys(self, "DashboardKeys", numbers=settings.dashboard_keys)
        erase, end_session = functions.erase(workflow), functions.end_session(runners)
        dead_letters.retry_then_keep(erase)
        dead_letters.retry_then_keep(end_session)
        client = create_sign_in(self, "Client", settings=settings, issuer=self._issuer, url=url)
        refresh = functions.refresh(runners)
        api, expire, connections, push = (
            functions.api(
                workflow,
                think=steps["think"],
                erase=erase,
                end_session=end_session,
                refresh=refresh,
                dashboard_keys=dashboard_keys,
            ),
            functions.expire(workflow, erase, runners),
            functions.sockets(workflow),
            functions.push(sockets),
        )
        web.serve(api.invoke_target, issuer=self._issuer.url, audience=client.audience)
        Schedule(self, "Sweep", function=expire, minutes=SWEEP_MINUTES, dead_letters=dead_letters)
        sockets.serve(connections.invoke_target)
        TurnStream(self, "TurnStream", table=stores.table, push=push, dead_letters=dead_letters)
        ToolRefresh(self, "ToolRefresh", function=refresh, dead_letters=dead_letters)
        page_config = {**client.page_config, **({"apps": apps} if apps else {})}
        bridges = self._bridge(layers, url)
        self._serve_page(functions, layers, site or web, page_config, dead_letters, headers)
        alarms = Alarms(self, "Alarm", email=settings.alarm_email)
        alarms.watch_api(web.api_id)
        alarms.watch_functions([*steps.values(), api, connections, push, *bridges])
        alarms.watch_turns(workflow.machine)
        alarms.watch_dead_letters(dead_letters.queue)
        alarms.watch_stream(push)
        alarms.watch_sweep(expire)
        alarms.watch_rotation(rotation.function)
        alarms.watch_table(stores.table)
        alarms.watch_concurrency()
        Dashboard(
            self,
            "Dashboard",
            api_id=web.api_id,
            machine=workflow.machine,
            alarms=alarms.alarms,
        )
        self._outputs(url, site, client)

    def _bridge(self, layers: FunctionLayers, url: str) -> list[PythonFunction]:
        """Create the bridge if the settings have one. Return its function."""
        if not self._settings.bridge:
            return []
        bridge = Bridge(
            self,
            "Bridge",
            settings=self._settings,
            function_layers=layers,
            api_url=url,
            origins=self._settings.web_origins,
        )
        CfnOutput(self, "BridgeUrl", value=bridge.url, description="URL of the bridge for other chat front ends")
        return [bridge.function]

    def _serve_page(
        self,
        functions: Functions,
        layers: FunctionLayers,
        server: Site | WebApi,
        page_config: Mapping[str, str],
        dead_letters: DeadLetters,
        headers: Mapping[str, str],
    ) -> None:
        """Publish the page to the site's bucket, or let a function of the HTTP API serve it."""
        page = layers.page(self._settings.page)
        if isinstance(server, WebApi):
            server.serve_page(functions.page(page, page_config, headers))
            return
        publish = functions.publish_page(server, page, page_config)
        publication = PagePublication(self, "Page", function=publish, dead_letters=dead_letters)
        emptied = EmptiedBuckets(
            self, "EmptiedPage", buckets=[server.bucket], function_layers=layers, settings=self._settings
        )
        # CloudFormation deletes in reverse order: no check publishes the page again after the bucket was emptied.
        publication.node.add_dependency(emptied)
        CfnOutput(self, "PublishPageFunction", value=publish.function_name, description="Invoke it to publish the page")

    def _apps(self) -> str:
        """Return the URL of the frame for apps, or an empty text if the page is served without CloudFront."""
        settings = self._settings
        if settings.site != "cloudfront":
            return ""
        # The page's own distribution cannot be named: its headers name this one.
        page = f"https://{settings.domain}" if settings.domain else "https://*.cloudfront.net"
        return AppSite(self, "Apps", settings=settings, pages=[settings.public_url or page]).url

    def _page_headers(self, sockets: SocketApi, apps: str) -> dict[str, str]:
        """Return the page's headers. They allow requests to its own host, the file bucket and the token issuer."""
        settings = self._settings
        own_host = f"wss://{settings.domain}" if settings.domain else "'self'"
        direct = settings.public_url or settings.site == "none"
        return page_headers(
            store=f"https://s3.{self.region}.{self.url_suffix}/{self._stores.bucket.bucket_name}/",
            sockets=f"wss://{sockets.host}" if direct else own_host,
            dashboards=settings.canvas_origins,
            apps=apps,
            api=settings.public_url or "",
            sign_in=self._issuer.origins,
        )

    def _outputs(self, url: str, site: Site | None, client: SignIn) -> None:
        CfnOutput(self, "Url", value=url, description="URL of the page and the API")
        if site:
            CfnOutput(
                self,
                "Distribution",
                value=site.distribution.distribution_domain_name,
                description="CloudFront's host name: point the DNS record of your own domain to it",
            )
        CfnOutput(self, "ClientId", value=client.audience[0], description="Client id for sign-in")


def _stores(scope: Construct, settings: Settings, data: DataStack) -> Stores:
    """Return the stores of the data stack, or the existing ones that the settings name."""
    bucket, table = settings.existing_bucket, settings.existing_table
    return Stores(
        existing_bucket(scope, "ExistingFiles", bucket) if bucket else data.bucket,
        existing_table(scope, "ExistingRecords", table) if table else data.table,
        data.capability_secret,
    )
