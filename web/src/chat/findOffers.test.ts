import { expect, it } from "vitest";

import { findOffers, fullName } from "./findOffers";

const OFFERS = [
  { server: "artifacts", name: "three_files" },
  { server: "artifacts", name: "long_results" },
  { server: "documents", name: "read" },
  { server: "report", name: "summarise" },
  { server: "samples", name: "count", title: "Reckon" },
  { server: "samples", name: "unused" },
];

it("offers servers that begin with the text first, then names and words that do, then all that contain it", () => {
  const names = findOffers(OFFERS, "Re").map(fullName);
  expect(names).toEqual(["report.summarise", "documents.read", "samples.count", "artifacts.long_results", "artifacts.three_files"]);
});

it("offers the shorter names of a server first, and titles after names", () => {
  const offers = [
    { server: "guide", name: "plan", title: "Read a plan" },
    { server: "approval", name: "report_steps" },
    { server: "report", name: "explore" },
    { server: "documents", name: "read" },
    { server: "report", name: "summarise" },
  ];
  const names = findOffers(offers, "re").map(fullName);
  expect(names).toEqual(["report.explore", "report.summarise", "documents.read", "approval.report_steps", "guide.plan"]);
});

it("offers everything in the given order for an empty text", () => {
  expect(findOffers(OFFERS, "")).toEqual(OFFERS);
});

it("finds a full name", () => {
  expect(findOffers(OFFERS, "report.su").map(fullName)).toEqual(["report.summarise"]);
});
