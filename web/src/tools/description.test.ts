import { describe, expect, it } from "vitest";

import { firstLine, firstParagraph, firstSentence } from "./description";

const TEXT = `
Wait \`\`seconds\`\` and report
progress. Then stop.

Args: seconds`;

describe("beginning of a description", () => {
  it("has no marks of code", () => {
    expect(firstLine(TEXT)).toBe("Wait seconds and report");
    expect(firstLine("Use `a` or ``b``; a ` alone stays.")).toBe("Use a or b; a ` alone stays.");
  });

  it("ends with the first sentence, which may go on in the next line, or with the paragraph", () => {
    expect(firstSentence("Read a file. And more.")).toBe("Read a file.");
    expect(firstSentence("Version 1.5 of it\nmore. And more.")).toBe("Version 1.5 of it more.");
    expect(firstSentence("Version 1.5\n\nNew paragraph.")).toBe("Version 1.5");
  });

  it("ends with the first paragraph", () => {
    expect(firstParagraph(TEXT)).toBe("Wait seconds and report\nprogress. Then stop.");
    expect(firstParagraph("")).toBe("");
  });
});
