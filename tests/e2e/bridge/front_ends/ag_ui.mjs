// Run steps with @ag-ui/client and print a line of JSON for each: the types of its events, messages and interrupts.
// Arguments: the folder with node_modules, and JSON {url, headers, threadId, steps: [{message} | {resume} | {}]}.
import { createRequire } from "node:module";

const [folder, text] = process.argv.slice(2);
const { HttpAgent } = createRequire(`${folder}/package.json`)("@ag-ui/client");
const { url, headers, threadId, steps } = JSON.parse(text);
const agent = new HttpAgent({ url, headers, threadId });

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
  console.log(JSON.stringify({ events, failure, messages: agent.messages, interrupts: agent.pendingInterrupts }));
}
