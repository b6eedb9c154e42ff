import { expect, test } from "vitest";
import { buildPolicy } from "./policy";

const NOTHING = { connect_domains: [], resource_domains: [], frame_domains: [], base_uri_domains: [] };

test("an app without declared domains may use no other site", () => {
  expect(buildPolicy(NOTHING)).toBe(
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' blob: data:; style-src 'unsafe-inline' blob: data:; " +
      "img-src blob: data:; font-src blob: data:; media-src blob: data:; worker-src blob:; connect-src blob: data:; " +
      "frame-src 'none'; base-uri 'none'",
  );
});

test("each kind of domain is allowed only for its use", () => {
  const policy = buildPolicy({
    connect_domains: ["https://api.example"],
    resource_domains: ["https://*.cdn.example"],
    frame_domains: ["https://frame.example:8443"],
    base_uri_domains: ["https://base.example"],
  });
  expect(policy).toContain("connect-src blob: data: https://api.example;");
  expect(policy).toContain("img-src blob: data: https://*.cdn.example;");
  expect(policy).toContain("frame-src https://frame.example:8443;");
  expect(policy).toMatch(/base-uri https:\/\/base\.example$/);
});

test.each(["*", "https:", "'self'", "https://a.example; script-src *", "https://a.example, default-src *", "data:", "http://*", "http://a.example:99999"])(
  "%s is no domain",
  (text) => {
    expect(buildPolicy({ ...NOTHING, connect_domains: [text], resource_domains: [text], frame_domains: [text] })).toBe(
      buildPolicy(NOTHING),
    );
  },
);

test("the page's own hosts are no domains of an app, whatever their scheme", () => {
  const own = ["http://localhost:8000", "ws://127.0.0.1:8000", "http://127.0.0.1:8001"];
  const declared = { connect_domains: own, resource_domains: own, frame_domains: own, base_uri_domains: own };
  expect(buildPolicy(declared, ["http://127.0.0.1:8000", "http://127.0.0.1:8001"])).toBe(buildPolicy(NOTHING));
});
