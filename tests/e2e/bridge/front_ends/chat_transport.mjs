// Run steps with the chat of npm's `ai` over its `DefaultChatTransport`, unchanged, and print a line of JSON for each: its
// messages and status. Arguments: the folder with node_modules, and JSON {api, headers, id, steps: [{message} | {approved,
// reason} | {stopAt} | {resume: true}]}.
import { createRequire } from "node:module";

const [folder, text] = process.argv.slice(2);
const { AbstractChat, DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } =
  createRequire(`${folder}/package.json`)("ai");
const { api, headers, id, steps } = JSON.parse(text);
const data = [];

/** The state that `useChat` keeps in React. */
class State {
  status = "ready";
  error = undefined;
  messages = [];
  pushMessage = (message) => (this.messages = [...this.messages, message]);
  popMessage = () => (this.messages = this.messages.slice(0, -1));
  replaceMessage = (index, message) => (this.messages = this.messages.with(index, message));
  snapshot = (value) => structuredClone(value);
}

class Chat extends AbstractChat {
  constructor() {
    super({
      id,
      state: new State(),
      transport: new DefaultChatTransport({ api, headers }),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
      onData: (part) => data.push(part.type),
    });
  }
}

const chat = new Chat();
const parts = () => chat.messages.at(-1)?.parts ?? [];
const untilReady = async () => {
  while (chat.status === "submitted" || chat.status === "streaming") await new Promise((resolve) => setTimeout(resolve, 20));
};

for (const step of steps) {
  if (step.resume) await chat.resumeStream();
  else if (step.message) {
    const sent = chat.sendMessage({ text: step.message, files: step.files });
    while (step.stopAt && !parts().some((part) => part.type === step.stopAt)) await new Promise((resolve) => setTimeout(resolve, 20));
    if (step.stopAt) await chat.stop();
    await sent;
  } else {
    const { approval } = parts().findLast((part) => part.state === "approval-requested");
    await chat.addToolApprovalResponse({ id: approval.id, ...step });
  }
  await untilReady();
  console.log(JSON.stringify({ messages: chat.messages, status: chat.status, error: chat.error?.message, data }));
}
