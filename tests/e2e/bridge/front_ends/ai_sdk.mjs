// Stream one answer with npm's `ai` and print it. Arguments: the folder with node_modules, and JSON {url, headers, key, message}.
import { createRequire } from "node:module";

const [folder, text] = process.argv.slice(2);
const require = createRequire(`${folder}/package.json`);
const { streamText } = require("ai");
const { createOpenAICompatible } = require("@ai-sdk/openai-compatible");
const { url, headers, key, message } = JSON.parse(text);
const provider = createOpenAICompatible({ name: "satchel", baseURL: url, apiKey: key, headers });
const result = streamText({ model: provider("offline"), prompt: message });
for await (const piece of result.textStream) process.stdout.write(piece);
