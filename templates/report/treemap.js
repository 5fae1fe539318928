"use strict";

const MOST_AREAS = 150;

// Returns the tree of sizes: artifacts, architectures, and kernels.
function makeTree(data) {
  const files = data.artifacts.map((name, number) => ({ name, number, children: new Map() }));
  for (const image of data.images) {
    const file = files[image.artifact];
    if (!file.children.has(image.arch)) {
      file.children.set(image.arch, { name: data.architectures[image.arch], number: image.arch, children: [], rest: 0 });
    }
    file.children.get(image.arch).rest += image.size;
  }
  data.kernels.image.forEach((number, row) => {
    const image = data.images[number], size = data.kernels.code[row];
    const arch = files[image.artifact].children.get(image.arch);
    if (size) {
      arch.rest -= size;
      arch.children.push({ name: data.names[data.kernels.name[row]], size, row,
        registers: data.kernels.registers[row], spills: data.kernels.spills[row] });
    }
  });
  const children = files.map((file) => ({ ...file, children: [...file.children.values()].map(finishArch) }));
  return { name: "all artifacts", children: children.filter((file) => file.children.length) };
}

// An architecture has the average registers of its kernels, by their sizes, and all of their spills.
function finishArch(arch) {
  const rest = { name: arch.children.length ? "other content" : "image", size: Math.max(arch.rest, 0) };
  const known = arch.children.filter((kernel) => kernel.registers);
  const sum = (read) => known.reduce((total, kernel) => total + read(kernel), 0);
  const registers = Math.round(sum((kernel) => kernel.size * kernel.registers) / sum((kernel) => kernel.size)) || null;
  const spills = arch.children.reduce((total, kernel) => total + (kernel.spills ?? 0), 0);
  return { ...arch, registers, spills, children: [...arch.children, rest] };
}

// A map of two levels of the tree. Opening an area makes it the map.
class Treemap {
  constructor(frame, tree, onKernel) {
    Object.assign(this, { frame, tree, onKernel, path: [tree] });
    this.sizes = new Map();
    d3.hierarchy(tree).sum((node) => node.size ?? 0).each((node) => this.sizes.set(node.data, node.value));
    this.up = document.getElementById("up");
    this.up.addEventListener("click", () => this.leave());
    frame.addEventListener("keydown", (event) => event.key === "Escape" && this.leave());
    addEventListener("resize", () => this.draw());
    this.draw();
  }

  leave() {
    if (this.path.length > 1) {
      this.path.pop();
      this.draw();
      this.frame.querySelector("button")?.focus();
    }
  }

  open(node) {
    if (node.row !== undefined) return this.onKernel(node.row);
    if (!node.children) return undefined;
    // An inner area is two levels below the current one.
    const parent = this.path.at(-1).children.find((child) => child === node || child.children?.includes(node));
    if (parent && parent !== node) this.path.push(parent);
    this.path.push(node);
    this.draw();
    return this.frame.querySelector("button")?.focus();
  }

  // Returns a node with at most MOST_AREAS children, the largest ones.
  limit(node, depth) {
    if (!node.children || depth === 0) return { node, size: this.sizes.get(node) };
    const sorted = [...node.children].sort((a, b) => this.sizes.get(b) - this.sizes.get(a));
    const others = sorted.slice(MOST_AREAS);
    const rest = others.reduce((sum, child) => sum + this.sizes.get(child), 0);
    const children = sorted.slice(0, MOST_AREAS).map((child) => this.limit(child, depth - 1));
    if (others.length) children.push({ node: { name: `${others.length} smaller ones` }, size: rest });
    return { node, children };
  }

  draw() {
    const root = d3.hierarchy(this.limit(this.path.at(-1), 2)).sum((item) => item.size ?? 0);
    d3.treemap().size([this.frame.clientWidth, this.frame.clientHeight]).paddingTop((node) => (node.depth ? 20 : 0)).paddingInner(1)(root);
    const areas = root.descendants().slice(1).filter((area) => area.value > 0 && area.x1 - area.x0 > 2 && area.y1 - area.y0 > 2);
    this.frame.replaceChildren(...areas.map((area) => this.makeArea(area)));
    this.up.disabled = this.path.length === 1;
    const names = this.path.map((node) => node.name).join(" / ");
    document.getElementById("crumbs").textContent = `${names}, ${formatSize(root.value)}`;
  }

  makeArea(area) {
    const { name, registers, spills } = area.data.node;
    const average = area.data.node.children ? " on average" : "";
    const figures = `${registers ? `, ${registers} registers${average}` : ""}${spills ? `, ${spills} bytes of spills` : ""}`;
    const size = formatSize(area.value);
    // Areas cut long names, so those of one parent are shown without what they all begin with.
    const kernels = area.parent.children.map((other) => other.data.node).filter((node) => node.row !== undefined);
    const start = area.data.node.row === undefined ? "" : findCommonStart(kernels.map((node) => node.name));
    const label = `${start.length > 4 ? `…${name.slice(start.length)}` : name}, ${size}`;
    const kind = area.children ? "outer" : spills ? "inner spills" : registers ? "inner registers" : "inner";
    const button = make("button", { type: "button", title: `${name}, ${size}${figures}`, class: kind }, label);
    button.style.cssText = `left:${area.x0}px;top:${area.y0}px;width:${area.x1 - area.x0}px;height:${area.y1 - area.y0}px`;
    if (registers) button.style.setProperty("--level", Math.min(registers / 255, 1));
    button.addEventListener("click", () => this.open(area.data.node));
    return button;
  }
}
