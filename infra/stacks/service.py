"""The stack of the functions, state machine, APIs and page. It stores no data, so it can be deleted and recreated."""

from aws_cdk import CfnOutput, Stack
from constructs import Construct

from infra.constructs.dashboard_keys import DashboardKeys
from infra.constructs.key_rotation import KeyRotation
from infra.constructs.layers import FunctionLayers
from infra.constructs.monitoring import Alarms, Dashboard
from infra.constructs.runners import Runners
from infra.constructs.sign_in import SignIn, create_sign_in
from infra.constructs.site import Site
from infra.constructs.socket_api import SocketApi
from infra.constructs.triggers import DeadLetters, DeploymentTrigger, Schedule, ToolRefresh, TurnStream
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
        self._settings, self._data = settings, data
        servers = Servers(settings.servers)
        layers = FunctionLayers(self, "Layers", platform=settings.platform, servers=servers)
        dead_letters = DeadLetters(self, "Lost")
        web, sockets = WebApi(self, "Web", settings=settings), SocketApi(self, "Socket", settings=settings)
        site = self._site(web, sockets)
        url = settings.public_url or f"https://{site.host}"
        machine_name = f"{settings.name}-turn"
        machine_arn = turn_machine_arn(self, machine_name)
        functions = Functions(
            self,
            settings=settings,
            data=data,
            layers=layers,
            machine_arn=machine_arn,
            url=url,
            # ``public_url`` names a proxy that may not support WebSocket, so clients then use API Gateway directly.
            socket_url=sockets.url if settings.public_url else f"wss://{site.host}/ws",
        )
        runners = Runners(
            self,
            "Run",
            settings=settings,
            servers=servers,
            function_layers=layers,
            environment=functions.stores | functions.max_file_size | functions.isolation,
            machine_arn=machine_arn,
        )
        steps = {
            "think": functions.think(),
            "approval": functions.approval(),
            "dispatch": functions.dispatch(runners),
            "record_tool_result": functions.record_tool_result(),
            "finish": functions.finish(),
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
            self, "KeyRotation", secret=data.capability_secret, function_layers=layers, settings=settings
        )
        dashboard_keys = DashboardKeys(self, "DashboardKeys", numbers=settings.dashboard_keys)
        erase, end_session = functions.erase(workflow), functions.end_session()
        dead_letters.retry_then_keep(erase)
        dead_letters.retry_then_keep(end_session)
        client = create_sign_in(self, "Client", settings=settings, issuer=data.issuer, url=url)
        api, expire, connections, push = (
            functions.api(workflow, erase, end_session, dashboard_keys),
            functions.expire(erase),
            functions.sockets(workflow),
            functions.push(sockets),
        )
        web.serve(api.invoke_target, issuer=data.issuer.url, audience=client.audience)
        Schedule(self, "Sweep", function=expire, minutes=SWEEP_MINUTES, dead_letters=dead_letters)
        sockets.serve(connections.invoke_target)
        TurnStream(self, "TurnStream", table=data.table, push=push, dead_letters=dead_letters)
        ToolRefresh(self, "ToolRefresh", function=functions.refresh(runners), dead_letters=dead_letters)
        self._publish(functions, layers, site, client, dead_letters)
        alarms = Alarms(self, "Alarm", email=settings.alarm_email)
        alarms.watch_api(web.api_id)
        alarms.watch_functions([*steps.values(), api, connections, push])
        alarms.watch_turns(workflow.machine)
        alarms.watch_dead_letters(dead_letters.queue)
        alarms.watch_stream(push)
        alarms.watch_sweep(expire)
        alarms.watch_rotation(rotation.function)
        alarms.watch_table(data.table)
        alarms.watch_concurrency()
        Dashboard(
            self,
            "Dashboard",
            name=settings.name,
            api_id=web.api_id,
            machine=workflow.machine,
            alarms=alarms.alarms,
        )
        self._outputs(url, site, client)

    def _site(self, web: WebApi, sockets: SocketApi) -> Site:
        """Create the site. The page's headers allow requests to its own host, the file bucket and the token issuer."""
        settings = self._settings
        own_host = f"wss://{settings.domain}" if settings.domain else "'self'"
        headers = page_headers(
            store=f"https://s3.{self.region}.{self.url_suffix}/{self._data.bucket.bucket_name}/",
            sockets=f"wss://{sockets.host}" if settings.public_url else own_host,
            dashboards=settings.canvas_origins,
            api=settings.public_url or "",
            sign_in=self._data.issuer.origins,
        )
        return Site(self, "Site", settings=settings, api=web.host, sockets=sockets.host, headers=headers)

    def _publish(
        self, functions: Functions, layers: FunctionLayers, site: Site, client: SignIn, dead_letters: DeadLetters
    ) -> None:
        publish = functions.publish_page(site, layers.page(self._settings.site), client.page_config)
        dead_letters.retry_then_keep(publish)
        DeploymentTrigger(self, "PageDeployed", function=publish, dead_letters=dead_letters)

    def _outputs(self, url: str, site: Site, client: SignIn) -> None:
        CfnOutput(self, "Url", value=url, description="URL of the page and the API")
        CfnOutput(
            self,
            "Distribution",
            value=site.distribution.distribution_domain_name,
            description="CloudFront's host name: point the DNS record of your own domain to it",
        )
        CfnOutput(self, "ClientId", value=client.audience[0], description="Client id for sign-in")
