/** Plots as files: a picture of what is shown, and all rows of it. */

export interface Shade {
  label: string;
  colour: string;
}

/** Where all rows of a plot are to be had. */
export function rowsAddress(run: number, names: string[], range: [number, number] | null): string {
  const asked = new URLSearchParams({ run: String(run) });
  if (range) {
    asked.set("begin", String(range[0]));
    asked.set("end", String(range[1]));
  }
  for (const name of names) asked.append("name", name);
  return `/rows?${asked}`;
}

/** Lines of labels that fit into a width, given how wide each of them is. */
export function broken(widths: number[], room: number): number[][] {
  const lines: number[][] = [];
  let used = Infinity;
  widths.forEach((width, k) => {
    if (used + width > room) {
      lines.push([]);
      used = 0;
    }
    lines[lines.length - 1].push(k);
    used += width;
  });
  return lines;
}

/** The canvas of a plot on paper, with the names of its curves above it. */
function pictureOf(drawn: HTMLCanvasElement, shades: Shade[], axis: string): HTMLCanvasElement {
  const style = getComputedStyle(document.documentElement);
  const made = document.createElement("canvas");
  const pen = made.getContext("2d")!;
  const unit = drawn.width / Math.max(1, drawn.clientWidth); // pixels of the screen for one of the page
  const font = `${12 * unit}px system-ui, sans-serif`;
  pen.font = font;
  const entries = [...shades, { label: `over ${axis}`, colour: style.getPropertyValue("--soft") }];
  const lines = broken(entries.map((s) => pen.measureText(s.label).width + 18 * unit), drawn.width - 16 * unit);
  const above = (lines.length * 18 + 8) * unit;
  made.width = drawn.width;
  made.height = drawn.height + above;
  pen.fillStyle = style.getPropertyValue("--panel");
  pen.fillRect(0, 0, made.width, made.height);
  pen.font = font;
  lines.forEach((line, row) => {
    let x = 10 * unit;
    for (const k of line) {
      pen.fillStyle = entries[k].colour;
      pen.fillText(entries[k].label, x, (18 * row + 17) * unit);
      x += pen.measureText(entries[k].label).width + 18 * unit;
    }
  });
  pen.drawImage(drawn, 0, above);
  return made;
}

function download(address: string, name: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
}

const fileName = (text: string): string => text.replace(/[^\w.-]+/g, "_").slice(0, 100);

export function savePicture(drawn: HTMLCanvasElement, shades: Shade[], axis: string): void {
  pictureOf(drawn, shades, axis).toBlob((blob) => {
    if (blob === null) return;
    const address = URL.createObjectURL(blob);
    download(address, `${fileName(shades[0]?.label ?? "plot")}.png`);
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  }, "image/png");
}

export function saveDrawing(text: string, name: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  download(address, `${fileName(name)}.svg`);
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export function saveRows(run: number, names: string[], range: [number, number] | null): void {
  download(rowsAddress(run, names, range), `run${run}_${fileName(names[0] ?? "rows")}.csv`);
}
