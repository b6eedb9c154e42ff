import { expect, test } from "vitest";
import { sharedToken } from "./sharedToken";

test("only fragments of links to shared chats have a secret", () => {
  expect(sharedToken("#share=Ab_c-9")).toBe("Ab_c-9");
  for (const hash of ["", "#s01m7yz1hs4gcreevqf6n983x09", "#share=", "#share=a/b", "#key=share=a"]) expect(sharedToken(hash)).toBeNull();
});
