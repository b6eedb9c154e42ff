// Follow a turn to its end and print a line of JSON for each event. Argument: JSON {url, token, user, sessionId, turnId, polls}.
import { Client } from "@satchel/client";

// After a failure, the client waits up to two seconds before it tries again. Here it waits a tenth of that.
const { setTimeout } = globalThis;
globalThis.setTimeout = (call, milliseconds, ...rest) => setTimeout(call, milliseconds / 10, ...rest);

const { url, token, user, sessionId, turnId, polls } = JSON.parse(process.argv[2]);
const client = new Client({ url, token, user, ...(polls && { webSocket: null }) });
for await (const event of client.session(sessionId).turn(turnId)) console.log(JSON.stringify(event));
await client.close();
