// Numbers out of the page: as text for the clipboard, or as a file.

export function toCsv(rows) {
  const field = (value) => {
    if (typeof value === "number") return String(Number.isInteger(value) ? value : Number(value.toFixed(6)));
    return /[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
  };
  return rows.map((row) => row.map(field).join(",")).join("\n") + "\n";
}

export async function copy(rows) {
  await navigator.clipboard.writeText(toCsv(rows));
}

export function download(rows, name) {
  const url = URL.createObjectURL(new Blob([toCsv(rows)], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
