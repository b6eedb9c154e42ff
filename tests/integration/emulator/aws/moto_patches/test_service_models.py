import os
from pathlib import Path
from unittest.mock import patch

from moto.core import utils

from local.emulator.aws.cloud import LocalCloud


def test_folders_of_services_are_listed_once_for_all_services(cloud: LocalCloud) -> None:
    assert cloud.endpoint_url
    utils.get_service_model("polly")
    with patch("botocore.loaders.os.listdir", side_effect=os.listdir) as listdir:
        model = utils.get_service_model("translate")

    assert model.metadata["serviceId"] == "Translate"
    folders = [Path(call.args[0]).name for call in listdir.call_args_list]
    assert set(folders) <= {"translate"}
