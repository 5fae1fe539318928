"use strict";

function fillSelect(id, names) {
  names.forEach((name, number) => document.getElementById(id).append(make("option", { value: number }, name)));
}

// Shows all rows of one kernel: every artifact and architecture that has it.
function showKernel(data, read, row) {
  const name = data.kernels.name[row];
  const same = [...data.kernels.name.keys()].filter((other) => data.kernels.name[other] === name);
  const keys = COLUMNS.slice(1);
  const line = (other) => make("tr", {}, ...keys.map((column) =>
    make("td", { class: column.isNumber ? "number" : "path" }, String(read(other, column.key) ?? "–"))));
  const heading = make("tr", {}, ...keys.map((column) => make("th", {}, column.title)));
  const block = data.kernels.block[row];
  const close = make("button", { type: "button" }, "Close");
  const dialog = document.getElementById("details");
  close.addEventListener("click", () => dialog.close());
  dialog.replaceChildren(
    make("p", {}, make("code", {}, data.names[name])), make("p", {}, make("code", {}, data.symbols[name])),
    make("div", { class: "scroll" }, make("table", {}, heading, ...same.map(line))),
    make("p", {}, block === null ? "" : `Occupancy in percent, for blocks of ${block} threads.`), close);
  dialog.showModal();
}

async function main() {
  const data = await readData(document.getElementById("data").textContent);
  data.lowered = data.names.map((name, index) => `${name} ${data.symbols[index]}`.toLowerCase());
  const read = makeReader(data);
  const table = new KernelTable(document.getElementById("rows"), data, (row) => showKernel(data, read, row));
  const search = document.getElementById("search");
  const [artifact, arch] = ["artifact", "arch"].map((id) => document.getElementById(id));
  const update = () => {
    const matches = makeFilter(data, search.value, artifact.value, arch.value);
    const rows = [...data.kernels.name.keys()].filter(matches);
    const unknown = findUnknownWords(data, search.value);
    document.getElementById("count").textContent = unknown.length
      ? `unknown: ${unknown.join(", ")}; write a figure, a comparison, and a number, such as registers>128`
      : `${rows.length} of ${data.kernels.name.length}`;
    table.show(rows);
  };
  fillSelect("artifact", data.artifacts);
  fillSelect("arch", data.architectures);
  for (const element of [search, artifact, arch]) element.addEventListener("input", update);
  addEventListener("keydown", (event) => {
    if (event.key === "/" && !event.target.closest("input, select")) {
      event.preventDefault();
      search.focus();
    }
  });
  for (const button of document.querySelectorAll("[data-artifact]")) {
    button.addEventListener("click", () => {
      [artifact.value, arch.value, search.value] = [button.dataset.artifact, button.dataset.arch, ""];
      update();
      document.getElementById("kernels").scrollIntoView();
    });
  }
  update();
  new Treemap(document.getElementById("map"), makeTree(data), (row) => showKernel(data, read, row));
  document.documentElement.dataset.ready = "true";
}

main();
