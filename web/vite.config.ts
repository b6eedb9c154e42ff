import react from "@vitejs/plugin-react";
import { defaultClientConditions, defaultServerConditions, defineConfig } from "vite";

const SOURCE = "satchel-source"; // the sources of @satchel/client, which then needs no build

export default defineConfig({
  plugins: [react()],
  resolve: { conditions: [SOURCE, ...defaultClientConditions] },
  ssr: { resolve: { conditions: [SOURCE, ...defaultServerConditions] } }, // used by the tests
  build: {
    target: "es2022",
    assetsInlineLimit: 0, // the content security policy allows no inline assets
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700, // KB; fits the libraries for PDF and diagrams, which load with the first of their kind
    manifest: "manifest.json", // read by `make sizes` and by a test
  },
  worker: { format: "es" },
});
