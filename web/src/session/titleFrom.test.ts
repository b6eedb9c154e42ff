import { expect, it } from "vitest";
import { titleFrom } from "./useSessions";

it.each([
  ["How are you?\nMore", "How are you?"],
  ['/approval.write_file {"name": "note.txt", "text": "hello"}', "Write file note.txt"],
  ['/calculator.evaluate {"exact": true, "expression": "2+3"}\n/calculator.evaluate {"expression": "2*3"}', "Evaluate 2+3"],
  ['/shop.add {"amount": 12}', "Add 12"],
  ["/samples.every_kind", "Every kind (samples)"],
  ['/samples.echo {"value": {}}', "Echo (samples)"],
  ['/samples.echo {"value":', "Echo (samples)"],
  ["/etc/hosts.allow is missing", "/etc/hosts.allow is missing"],
  [`/a.read {"text": "${"x".repeat(100)}"}`, /^Read x+…$/],
])("the message %j gives a title", (message, title) => {
  expect(titleFrom(message)).toEqual(typeof title === "string" ? title : expect.stringMatching(title));
});
