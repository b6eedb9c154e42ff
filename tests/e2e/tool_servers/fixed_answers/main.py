"""Server that returns the answers of answers.json in plain JSON-RPC over stdio, so that no library changes them."""

import json
import sys
from pathlib import Path
from typing import Any

Json = dict[str, Any]

ANSWERS: Json = json.loads(Path(__file__).with_name("answers.json").read_text(encoding="utf-8"))


def answer(method: str, params: Json) -> Json:
    match method:
        case "initialize":
            about = {"name": "fixed_answers", "version": "1"}
            return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": about}
        case "tools/list":
            return {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in ANSWERS]}
        case "tools/call":
            result: Json = ANSWERS[params["name"]]
            return result
        case _:
            raise ValueError(f"unknown method: {method}")


def main() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request or "method" not in request:
            continue
        try:
            reply = {"result": answer(request["method"], request.get("params", {}))}
        except ValueError as error:
            reply = {"error": {"code": -32601, "message": str(error)}}
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], **reply}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
