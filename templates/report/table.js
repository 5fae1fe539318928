"use strict";

const ROW_HEIGHT = 28;
const MOST_PRINTED_ROWS = 1000;

// A table that only has the rows in view, so that 150,000 rows cost as much as 50.
class KernelTable {
  constructor(frame, data, showDetails) {
    Object.assign(this, { frame, data, showDetails, rows: [], column: COLUMNS.find((column) => column.key === "code"), direction: -1 });
    this.read = makeReader(data);
    this.headings = COLUMNS.map((column) => this.makeHeading(column));
    this.body = make("tbody", {});
    this.table = make("table", {}, make("thead", {}, make("tr", {}, ...this.headings)), this.body);
    this.table.classList.toggle("single", data.artifacts.length === 1);
    frame.replaceChildren(this.table);
    frame.addEventListener("scroll", () => requestAnimationFrame(() => this.draw()));
    frame.addEventListener("keydown", (event) => this.move(event));
    addEventListener("resize", () => this.draw());
    addEventListener("beforeprint", () => this.draw(0, MOST_PRINTED_ROWS));
    addEventListener("afterprint", () => this.draw());
  }

  makeHeading(column) {
    const button = make("button", { type: "button" }, column.title);
    button.addEventListener("click", () => {
      this.direction = this.column === column ? -this.direction : column.isNumber ? -1 : 1;
      this.column = column;
      this.show(this.rows);
    });
    return make("th", { scope: "col", class: column.isNumber ? "number" : column.key }, button);
  }

  // Shows these rows, sorted by the selected column.
  show(rows) {
    this.rows = rows;
    sortRows(rows, this.read, this.column, this.direction);
    this.headings.forEach((heading, index) => {
      const order = this.direction > 0 ? "ascending" : "descending";
      heading.setAttribute("aria-sort", COLUMNS[index] === this.column ? order : "none");
    });
    this.table.setAttribute("aria-rowcount", rows.length + 1);
    this.frame.scrollTop = 0;
    this.draw();
  }

  draw(first, count) {
    const space = 10;
    first ??= Math.max(0, Math.floor(this.frame.scrollTop / ROW_HEIGHT) - space);
    count ??= Math.ceil(this.frame.clientHeight / ROW_HEIGHT) + 2 * space;
    const last = Math.min(first + count, this.rows.length);
    const focused = document.activeElement?.closest?.("#rows tbody tr")?.getAttribute("aria-rowindex");
    const shown = [];
    for (let index = first; index < last; index++) shown.push(this.makeRow(index));
    this.body.replaceChildren(this.makeSpace(first), ...shown, this.makeSpace(this.rows.length - last));
    if (focused) this.body.querySelector(`[aria-rowindex="${focused}"]`)?.focus({ preventScroll: true });
  }

  makeSpace(rows) {
    const space = make("tr", { class: "space", "aria-hidden": "true" }, make("td", { colspan: COLUMNS.length }));
    space.firstChild.style.height = `${rows * ROW_HEIGHT}px`;
    return space;
  }

  makeRow(index) {
    const row = this.rows[index];
    const isNarrow = matchMedia("(max-width: 45rem)").matches;
    const cells = COLUMNS.map((column) => {
      const value = this.read(row, column.key);
      let text = value === null ? "–" : column.key === "occupancy" ? `${value} %` : String(value);
      const kind = column.isNumber ? "number" : column.key;
      const title = text;
      // Narrow cells would show little more than namespaces.
      if (column.key === "name" && isNarrow) text = text.replace(/^(\w+::)+/, "…");
      return make("td", column.isNumber ? { class: kind } : { class: kind, title }, text);
    });
    const element = make("tr", { tabindex: "-1", "aria-rowindex": index + 2 }, ...cells);
    element.addEventListener("click", () => this.showDetails(row));
    return element;
  }

  // Arrow keys move between rows, and Enter opens one.
  move(event) {
    const current = document.activeElement.closest("#rows tbody tr");
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key === "Enter" && current) {
      event.preventDefault(); // otherwise, the key also presses the dialog's button
      this.showDetails(this.rows[current.getAttribute("aria-rowindex") - 2]);
    } else if (event.key in steps) {
      event.preventDefault();
      const index = current ? current.getAttribute("aria-rowindex") - 2 + steps[event.key] : Math.ceil(this.frame.scrollTop / ROW_HEIGHT);
      if (index < 0 || index >= this.rows.length) return;
      const header = this.headings[0].offsetHeight;
      const top = index * ROW_HEIGHT, view = this.frame.clientHeight - header;
      this.frame.scrollTop = Math.min(Math.max(this.frame.scrollTop, top + ROW_HEIGHT - view), top);
      this.draw();
      this.body.querySelector(`[aria-rowindex="${index + 2}"]`)?.focus({ preventScroll: true });
    }
  }
}
