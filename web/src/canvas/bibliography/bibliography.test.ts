import { describe, expect, it } from "vitest";

import { parseCitations, toWebUrl } from "./citation";
import { toBibtex, toRis } from "./export";

const PUBMED = JSON.stringify([
  {
    pmid: "31234567",
    title: "Vectors of gene therapy & more",
    authors: ["Ōta K", "Müller A"],
    year: 2019,
    journal: "Gene",
    volume: 12,
    issue: "3",
    pages: "100-110",
    doi: "https://doi.org/10.1000/182",
    abstract: "Long.",
  },
  { PMID: "33445566", title: "Capsids", authors: "Silva, P; Ōta, K", pubDate: "2021 Mar 4" },
  { title: "By hand", authors: [{ family: "Lovelace", given: "Ada" }, { name: "Anon" }], url: "javascript:alert(1)" },
]);

const citations = parseCitations(PUBMED);

describe("parseCitations", () => {
  it("accepts various field names", () => {
    expect(citations.map(({ authors, year, link }) => ({ authors, year, link }))).toEqual([
      { authors: ["Ōta K", "Müller A"], year: "2019", link: "https://doi.org/10.1000/182" },
      { authors: ["Silva, P", "Ōta, K"], year: "2021", link: "https://pubmed.ncbi.nlm.nih.gov/33445566/" },
      { authors: ["Lovelace, Ada", "Anon"], year: null, link: null },
    ]);
  });

  it("finds the list in an object, skips invalid entries, and throws if there is no list", () => {
    expect(parseCitations('{"references": [{"title": "One"}, 7, null]}').map(({ title }) => title)).toEqual(["One"]);
    expect(() => parseCitations('"text"')).toThrow("no list");
  });
});

describe("toWebUrl", () => {
  it("accepts http and https and returns null for anything else", () => {
    expect(toWebUrl("https://example.org/a?b=c")).toBe("https://example.org/a?b=c");
    for (const url of ["javascript:alert(1)", " javascript:alert(1)", "data:text/html,x", "//x", "x", ""]) {
      expect(toWebUrl(url)).toBeNull();
    }
  });
});

describe("toBibtex", () => {
  it("writes one entry per citation, with unique keys", () => {
    const [first, , third] = toBibtex(citations).split("\n\n");
    expect(first).toBe(
      "@article{ota2019,\n  title = {Vectors of gene therapy \\& more},\n  author = {Ōta K and Müller A},\n" +
        "  journal = {Gene},\n  year = {2019},\n  volume = {12},\n  number = {3},\n  pages = {100-110},\n" +
        "  doi = {10.1000/182},\n  pmid = {31234567},\n  url = {https://doi.org/10.1000/182}\n}",
    );
    expect(third).toBe("@misc{lovelace,\n  title = {By hand},\n  author = {Lovelace, Ada and Anon}\n}");
    const duplicated = toBibtex([...citations, ...citations]);
    expect(duplicated.match(/@\w+\{(\w+),/g)).toHaveLength(6);
    expect(new Set(duplicated.match(/@\w+\{(\w+),/g)).size).toBe(6);
  });

  it("escapes text that would end a field of BibTeX or a line of RIS", () => {
    const [hostile] = parseCitations('[{"title": "a}, url = {x\\nTY  - BOOK\\\\input{y}"}]');
    if (!hostile) throw new Error("expected one citation");
    expect(toBibtex([hostile])).toBe("@misc{a,\n  title = {a, url = x TY  - BOOKinputy}\n}");
    expect(toRis([hostile])).toBe("TY  - GEN\r\nTI  - a}, url = {x TY  - BOOK\\input{y}\r\nER  - \r\n");
  });
});

describe("toRis", () => {
  it("splits the pages at dashes with spaces around them", () => {
    const ris = toRis(parseCitations('[{"title": "T", "pages": "100 –  110"}]'));
    expect(ris.match(/^[SE]P.*$/gm)).toEqual(["SP  - 100", "EP  - 110"]);
  });

  it("takes linear time for pages with many spaces", () => {
    const spaced = `1${" ".repeat(100_000)}2`;
    const started = performance.now();
    expect(toRis(parseCitations(JSON.stringify([{ title: "T", pages: spaced }])))).toContain(spaced);
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  it("writes one record per citation", () => {
    expect(toRis(citations.slice(0, 1)).split("\r\n")).toEqual([
      "TY  - JOUR",
      "TI  - Vectors of gene therapy & more",
      "AU  - Ōta K",
      "AU  - Müller A",
      "JO  - Gene",
      "PY  - 2019",
      "VL  - 12",
      "IS  - 3",
      "SP  - 100",
      "EP  - 110",
      "DO  - 10.1000/182",
      "AN  - 31234567",
      "UR  - https://doi.org/10.1000/182",
      "AB  - Long.",
      "ER  - ",
      "",
    ]);
  });
});
