/** A browser under the POSIX locale names a language that Intl refuses, which uPlot does not survive. */
try {
  new Intl.NumberFormat(navigator.language);
} catch {
  Object.defineProperty(navigator, "language", { value: "en-US" });
}
export {};
