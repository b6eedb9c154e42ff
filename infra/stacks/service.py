"""The code and what it runs on. It keeps nothing, so it may be deleted and made anew."""

from aws_cdk import CfnOutput, Stack
from constructs import Construct

from infra.constructs.alarms import Alarms
from infra.constructs.dashboard import Dashboard
from infra.constructs.deployed import Deployed
from infra.constructs.key_rotation import KeyRotation
from infra.constructs.lost_events import LostEvents
from infra.constructs.runner import Runners
from infra.constructs.shelf import Shelf
from infra.constructs.sign_in import SignIn, sign_in
from infra.constructs.site import Site
from infra.constructs.socket_api import SocketApi
from infra.constructs.sweep import Sweep
from infra.constructs.tool_refresh import ToolRefresh
from infra.constructs.turn_stream import TurnStream
from infra.constructs.turn_workflow import TurnWorkflow, turn_machine_arn
from infra.constructs.web_api import WebApi
from infra.limits import SWEEP_MINUTES
from infra.page_headers import page_headers
from infra.servers import Servers
from infra.settings import Settings
from infra.stacks.data import DataStack
from infra.stacks.functions import Functions


class ServiceStack(Stack):
    """Which parts there are, and who is told of whom."""

    def __init__(self, scope: Construct, id_: str, *, settings: Settings, data: DataStack) -> None:
        super().__init__(scope, id_, description="Satchel: functions, turn machine, APIs and page")
        self._settings, self._data = settings, data
        servers = Servers(settings.servers)
        shelf = Shelf(self, "Layers", platform=settings.platform, servers=servers)
        lost = LostEvents(self, "Lost")
        web, sockets = WebApi(self, "Web", settings=settings), SocketApi(self, "Socket", settings=settings)
        site = self._site(web, sockets)
        url = settings.public_url or f"https://{site.host}"
        machine_name = f"{settings.name}-turn"
        machine_arn = turn_machine_arn(self, machine_name)
        make = Functions(
            self,
            settings=settings,
            data=data,
            shelf=shelf,
            machine_arn=machine_arn,
            url=url,
            # What stands in front of the API need not know of sockets.
            socket_url=sockets.url if settings.public_url else f"wss://{site.host}/ws",
        )
        runners = Runners(
            self,
            "Run",
            settings=settings,
            servers=servers,
            shelf=shelf,
            environment=make.stores | make.sizes | make.walls,
            machine_arn=machine_arn,
        )
        steps = {
            "think": make.think(),
            "approval": make.approval(),
            "dispatch": make.dispatch(runners),
            "normalize": make.normalize(),
            "finish": make.finish(),
        }
        workflow = TurnWorkflow(
            self,
            "Turn",
            name=machine_name,
            **steps,
            lost=lost,
            settings=settings,
        )
        rotation = KeyRotation(self, "KeyRotation", secret=data.capability_secret, shelf=shelf, settings=settings)
        erase, end_session = make.erase(workflow), make.end_session()
        lost.catch(erase)
        lost.catch(end_session)
        let_in = sign_in(self, "Client", settings=settings, issuer=data.issuer, url=url)
        api, expire, connections, push = (
            make.api(workflow, erase, end_session),
            make.expire(erase),
            make.sockets(workflow),
            make.push(sockets),
        )
        web.serve(api.entry, issuer=data.issuer.url, audience=let_in.audience)
        Sweep(self, "Sweep", function=expire, minutes=SWEEP_MINUTES, lost=lost)
        sockets.serve(connections.entry)
        TurnStream(self, "TurnStream", table=data.table, push=push, lost=lost)
        ToolRefresh(self, "ToolRefresh", function=make.refresh(runners), lost=lost)
        self._publish(make, shelf, site, let_in, lost)
        alarms = Alarms(self, "Alarm", email=settings.alarm_email)
        alarms.watch_api(web.api_id)
        alarms.watch_functions([*steps.values(), api, connections, push])
        alarms.watch_turns(workflow.machine)
        alarms.watch_lost(lost.queue)
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
            alarms=alarms.made,
        )
        self._outputs(url, site, let_in)

    def _site(self, web: WebApi, sockets: SocketApi) -> Site:
        """Let the page speak to its own host, to its bucket's objects and to whoever signs people in."""
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

    def _publish(self, make: Functions, shelf: Shelf, site: Site, let_in: SignIn, lost: LostEvents) -> None:
        publish = make.publish_page(site, shelf.page(self._settings.site), let_in.told)
        lost.catch(publish)
        Deployed(self, "PageDeployed", function=publish, lost=lost)

    def _outputs(self, url: str, site: Site, let_in: SignIn) -> None:
        CfnOutput(self, "Url", value=url, description="Where page and API are reached")
        CfnOutput(
            self,
            "Distribution",
            value=site.distribution.distribution_domain_name,
            description="CloudFront's own name for it: point a domain of your own there",
        )
        CfnOutput(self, "ClientId", value=let_in.audience[0], description="The client with which people sign in")
