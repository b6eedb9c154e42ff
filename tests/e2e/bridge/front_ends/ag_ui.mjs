// Run steps with an agent of @ag-ui/client and print a line of JSON for each: its events, messages and interrupts.
// Arguments: the folder with node_modules, and JSON {url | satchel, token, user, threadId, sessionId, steps: [{message} |
// {resume} | {}]}. With the `url` of the bridge the agent is HttpAgent, with that of Satchel it is SatchelAgent.
import { createRequire } from "node:module";

const [folder, text] = process.argv.slice(2);
const require = createRequire(`${folder}/package.json`);
const { url, satchel, token, user, threadId, sessionId, steps } = JSON.parse(text);
let sockets = 0;
let client;

async function createAgent() {
  if (url) {
    const { HttpAgent } = require("@ag-ui/client");
    return new HttpAgent({ url, headers: { Authorization: `Bearer ${token}`, "X-Satchel-User": user }, threadId });
  }
  const { Client } = await import(require.resolve("@satchel/client"));
  const { SatchelAgent } = await import(require.resolve("@satchel/client/ag-ui"));
  const webSocket = globalThis.WebSocket && class extends WebSocket {
    constructor(address) {
      super(address);
      sockets += 1;
    }
  };
  client = new Client({ url: satchel, token, user, webSocket });
  return new SatchelAgent({ client, threadId, sessionId });
}

const agent = await createAgent();
for (const step of steps) {
  const events = [];
  if (step.message) {
    agent.addMessage({ id: crypto.randomUUID(), role: "user", content: step.message });
  }
  const resume = step.resume && [{ interruptId: agent.pendingInterrupts[0].id, status: "resolved", payload: step.resume }];
  let failure = null;
  const run = agent.runAgent({ resume }, {
    onEvent: ({ event }) => {
      events.push(event);
      if (event.type === step.abortAt) agent.abortRun();
    },
  });
  try {
    await run;
  } catch (error) {
    failure = String(error.message);
  }
  const { messages, pendingInterrupts: interrupts } = agent;
  console.log(JSON.stringify({ events, failure, messages, interrupts, sessionId: agent.sessionId, sockets }));
}
await client?.close();
