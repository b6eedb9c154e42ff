import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [react()],
  build: {
    target: "es2022",
    assetsInlineLimit: 0, // the content security policy allows no inline assets
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700, // KB; fits the libraries for PDF and diagrams, which load with the first of their kind
    manifest: "manifest.json", // read by `make sizes` and by a test
  },
  worker: { format: "es" },
});
