"use strict";

// The columns of the table: a title, the key of a search such as "registers>128", and whether it has numbers.
const COLUMNS = [
  { key: "name", title: "Kernel" },
  { key: "file", title: "Artifact" },
  { key: "arch", title: "Arch" },
  { key: "registers", title: "Registers", isNumber: true },
  { key: "spills", title: "Spills", isNumber: true },
  { key: "shared", title: "Shared", isNumber: true },
  { key: "local", title: "Local", isNumber: true },
  { key: "code", title: "Code", isNumber: true },
  { key: "bound", title: "Bound", isNumber: true },
  { key: "occupancy", title: "Occupancy", isNumber: true },
];

// Returns the report's data, which the page contains as compressed JSON.
async function readData(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

// Returns a function from a row and the key of a column to what the column shows. Unknown is null.
function makeReader(data) {
  const image = (row) => data.images[data.kernels.image[row]];
  const special = {
    name: (row) => data.names[data.kernels.name[row]],
    file: (row) => data.artifacts[image(row).artifact],
    arch: (row) => data.architectures[image(row).arch],
  };
  return (row, key) => (special[key] ? special[key](row) : data.kernels[key][row]);
}

// Returns the words of a search that compare a figure which no column has, such as "regs>128".
function findUnknownWords(data, words) {
  const isKnown = (key) => data.kernels[key] && key !== "image" && key !== "name";
  return words.toLowerCase().split(/\s+/).filter((word) => /^\w+(>=|<=|>|<|=)\S*$/.test(word) &&
    !(isKnown(/^\w+/.exec(word)[0]) && /\d+$/.test(word)));
}

// Returns the part that all names begin with, up to the last mark between two of their parts.
function findCommonStart(names) {
  if (names.length < 2) return "";
  let start = names[0];
  for (const name of names) while (!name.startsWith(start)) start = start.slice(0, -1);
  return /^.*(::|<|, |\()/.exec(start)?.[0] ?? "";
}

// Returns a function from a row to whether it matches a search, such as "gemm registers>128".
function makeFilter(data, words, artifact, arch) {
  const tests = [];
  for (const word of words.toLowerCase().split(/\s+/).filter(Boolean)) {
    const match = /^(\w+)(>=|<=|>|<|=)(\d+)$/.exec(word);
    const column = match && data.kernels[match[1]];
    if (column && match[1] !== "image" && match[1] !== "name") {
      const compare = { ">": (a, b) => a > b, "<": (a, b) => a < b, "=": (a, b) => a === b,
        ">=": (a, b) => a >= b, "<=": (a, b) => a <= b }[match[2]];
      const limit = Number(match[3]);
      tests.push((row) => column[row] !== null && compare(column[row], limit));
    } else {
      // Each name is tested once, although a kernel has a row per architecture.
      const found = data.lowered.map((name) => name.includes(word));
      tests.push((row) => found[data.kernels.name[row]]);
    }
  }
  if (artifact !== "") tests.push((row) => data.images[data.kernels.image[row]].artifact === Number(artifact));
  if (arch !== "") tests.push((row) => data.images[data.kernels.image[row]].arch === Number(arch));
  return (row) => tests.every((test) => test(row));
}

// Sorts rows by a column. Unknown values come last in both directions.
function sortRows(rows, read, column, direction) {
  const values = new Map(rows.map((row) => [row, read(row, column.key)]));
  const compare = column.isNumber ? (a, b) => a - b : (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  rows.sort((first, second) => {
    const a = values.get(first), b = values.get(second);
    if (a === null || b === null) return (a === null) - (b === null) || first - second;
    return direction * compare(a, b) || first - second;
  });
}

// Makes an element. Text from files only ever becomes text, never HTML.
function make(tag, attributes, ...content) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...content);
  return element;
}

function formatSize(bytes) {
  for (const unit of ["B", "KiB", "MiB"]) {
    if (bytes < 1024) return `${unit === "B" ? bytes : bytes.toFixed(1)} ${unit}`;
    bytes /= 1024;
  }
  return `${bytes.toFixed(1)} GiB`;
}
