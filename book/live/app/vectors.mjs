// Vectors that were computed when the site was built: a scale for each row, then whole numbers.

export async function loadVectors(url, { bytes }, width, size) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the server says ${response.status}`);
  const buffer = await response.arrayBuffer();
  if (buffer.byteLength !== bytes) throw new Error("the file was cut short");
  const rows = buffer.byteLength / (4 + width * size);
  const scales = new Float32Array(buffer, 0, rows);
  const codes = new (size === 2 ? Int16Array : Int8Array)(buffer, 4 * rows);
  return Float32Array.from(codes, (code, i) => code * scales[Math.floor(i / width)]);
}
