// Stream one answer with npm's `ai` and print it, with `reasoning` behind its reasoning in parentheses. Arguments: the folder
// with node_modules, and JSON {url, headers, key, message, model, reasoning}.
import { createRequire } from "node:module";

const [folder, text] = process.argv.slice(2);
const require = createRequire(`${folder}/package.json`);
const { streamText } = require("ai");
const { createOpenAICompatible } = require("@ai-sdk/openai-compatible");
const { url, headers, key, message, model, reasoning } = JSON.parse(text);
const provider = createOpenAICompatible({ name: "satchel", baseURL: url, apiKey: key, headers });
const result = streamText({ model: provider(model ?? "offline"), prompt: message });
let answer = "";
for await (const piece of result.textStream) answer += piece;
process.stdout.write(reasoning ? `(${await result.reasoningText})${answer}` : answer);
