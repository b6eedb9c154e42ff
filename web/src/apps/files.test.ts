import { expect, test } from "vitest";
import type { AppFile } from "../api/types";
import { AppFiles, FILES_META } from "./files";

const CSV: AppFile = { file_key: "f1", version: 2, name: "a b.csv", mime: "text/csv", size: 4, role: "input" };
const URI = "satchel://files/f1/2/a%20b.csv";
const read = async () => new TextEncoder().encode("a,b\n");

test("a result has links to the files of its call", () => {
  const files = new AppFiles();
  const link = { type: "resource_link", uri: URI, name: "a b.csv", mimeType: "text/csv", size: 4, _meta: { role: "input" } };
  expect(files.link({ content: [], _meta: { own: 1 } }, [CSV])).toEqual({ content: [], _meta: { own: 1, [FILES_META]: [link] } });
  expect(files.list()).toEqual([link]);
});

test("a result without files is unchanged", () => {
  expect(new AppFiles().link({ content: [] }, [])).toEqual({ content: [] });
});

test("an app reads the files of its calls as text", async () => {
  expect(await new AppFiles([CSV], read).read(URI)).toEqual({
    contents: [{ uri: URI, mimeType: "text/csv", text: "a,b\n" }],
  });
});

test.each(["satchel://files/f2/1/other.csv", "satchel://files/f1/1/a%20b.csv", "https://a.example/", "/api/files", "__proto__"])(
  "%s is no file of the app",
  async (uri) => {
    await expect(new AppFiles([CSV], read).read(uri)).rejects.toThrow("no file");
  },
);

test("a file over 32 MiB is not read", async () => {
  await expect(new AppFiles([{ ...CSV, size: (32 << 20) + 1 }], read).read(URI)).rejects.toThrow("32 MiB");
});

test("an app reads at most 60 files a minute", async () => {
  let now = 0;
  const files = new AppFiles([CSV], read, () => now);
  for (let count = 0; count < 60; count += 1) await files.read(URI);
  await expect(files.read(URI)).rejects.toThrow("a minute");
  now = 60_000;
  await expect(files.read(URI)).resolves.toBeDefined();
});

test("a read that fails does not stop the next one", async () => {
  let fails = true;
  const files = new AppFiles([CSV], async () => {
    if (fails) throw new Error("offline");
    return read();
  });
  await expect(files.read(URI)).rejects.toThrow("offline");
  fails = false;
  await expect(files.read(URI)).resolves.toBeDefined();
});
