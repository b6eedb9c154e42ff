import base64
import json

from functions.servers.legacy.main import export_table


def test_export_table_returns_files_in_two_arrays_of_the_same_order() -> None:
    exported = export_table(2)
    files = dict(zip(exported.pop("returned_file_names"), exported.pop("returned_file_contents"), strict=True))

    assert exported == {"results": "Exported 2 rows (see files).", "meta_data": {"rows": 2, "columns": 3}}
    assert {name: base64.b64decode(content, validate=True) for name, content in files.items()} == {
        "table.csv": b"number,square,cube\r\n1,1,1\r\n2,4,8\r\n",
        "table.json": json.dumps(
            [{"number": 1, "square": 1, "cube": 1}, {"number": 2, "square": 4, "cube": 8}]
        ).encode(),
    }
