import { defineConfig } from "vite";

// Nothing is inlined as a script or a style: the page's security policy forbids it.
export default defineConfig({
  base: "/",
  esbuild: { jsx: "automatic", legalComments: "none" },
  build: { target: "es2022", assetsInlineLimit: 0, modulePreload: { polyfill: false }, chunkSizeWarningLimit: 900 },
});
