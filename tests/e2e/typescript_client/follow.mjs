// Follow a turn to its end and print a line of JSON for each event. Argument: JSON {url, token, user, sessionId, turnId, polls}.
import { Client } from "@satchel/client";

const { url, token, user, sessionId, turnId, polls } = JSON.parse(process.argv[2]);
const client = new Client({ url, token, user, ...(polls && { webSocket: null }) });
for await (const event of client.session(sessionId).turn(turnId)) console.log(JSON.stringify(event));
await client.close();
