import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [react()],
  build: {
    target: "es2022",
    assetsInlineLimit: 0, // the page's policy lets nothing in but files of its own
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600, // the PDF viewer, loaded with the first PDF
    manifest: "manifest.json", // what is loaded first and what later: make sizes, and a test
  },
  worker: { format: "es" },
});
