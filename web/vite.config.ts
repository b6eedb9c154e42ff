import react from "@vitejs/plugin-react";
import { defaultClientConditions, defaultServerConditions, defineConfig } from "vite";

const SOURCE = "satchel-source"; // the sources of @satchel/client, which then needs no build

/**
 * One script for what the page needs at its start, in place of 36. The entry stays a chunk of its own: it awaits the
 * texts, and parts that load later import this script, so they would wait, too.
 */
const START = { name: "start", tags: ["$initial" as const], test: (id: string) => !/(main\.tsx|index\.html)$/.test(id) };

/** What at least three of the parts that load later share, in one script instead of one for each combination of parts. */
const PARTS = { name: "parts", test: /\/src\/(canvas|files)\/(?!viewers|office)/, minShareCount: 3 };

export default defineConfig({
  plugins: [react()],
  resolve: { conditions: [SOURCE, ...defaultClientConditions] },
  ssr: { resolve: { conditions: [SOURCE, ...defaultServerConditions] } }, // used by the tests
  build: {
    target: "es2022",
    assetsInlineLimit: 0, // the content security policy allows no inline assets
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700, // KB; fits the libraries for PDF and diagrams, which load with the first of their kind
    rolldownOptions: { output: { codeSplitting: { groups: [START, PARTS] } } },
    manifest: "manifest.json", // read by `make sizes` and by a test
  },
  worker: { format: "es" },
});
