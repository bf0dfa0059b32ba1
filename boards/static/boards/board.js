// Moving and changing rows without leaving the board. Without this script every act has a page of its own.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const page = document.querySelector(".bd-page");
  const dialog = page.querySelector("[data-dialog]");
  const said = page.querySelector("[data-said]");
  const columns = [...page.querySelectorAll(".bd-column")];
  page.classList.add("bd-live");

  const say = (words) => {
    if (said) {
      said.textContent = words;
    }
  };
  const show = (...parts) => {
    dialog.replaceChildren(...parts);
    if (!dialog.open) {
      dialog.showModal();
    }
  };

  // The form of an act is the one of its page, as the row stands now.
  async function open(link) {
    try {
      const answer = await fetch(link.href, { credentials: "same-origin" });
      const found = new DOMParser().parseFromString(await answer.text(), "text/html");
      const form = found.querySelector("[data-act-page]");
      if (!answer.ok || !form) {
        throw new Error("not the page of an act");
      }
      show(document.importNode(form, true));
      (dialog.querySelector("#act-field") || dialog.querySelector("[type=submit], [data-close]")).focus();
    } catch {
      location.assign(link.href);
    }
  }

  dialog.addEventListener("click", (event) => {
    if (event.target === dialog || event.target.closest("[data-close]")) {
      event.preventDefault();
      dialog.close();
    }
  });

  page.addEventListener("click", (event) => {
    const link = event.target.closest("[data-act]");
    if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      open(link);
    }
  });

  const leading = (card, column) =>
    [...card.querySelectorAll("[data-act]")].filter((link) => link.dataset.leads === column.dataset.column);

  // A move is asked for, never done at once: some moves need words, and none can be undone by dragging back.
  function move(card, column) {
    const links = leading(card, column);
    if (links.length === 0) {
      const from = columns.find((other) => other.contains(card));
      say(`No move leads from ${from.dataset.title} to ${column.dataset.title} for this row.`);
    } else if (links.length === 1) {
      say("");
      open(links[0]);
    } else {
      say("");
      const words = document.createElement("p");
      words.textContent = `To ${column.dataset.title}: how?`;
      const choices = document.createElement("p");
      choices.className = "bd-choices";
      for (const link of links) {
        const choice = document.createElement("button");
        choice.type = "button";
        choice.className = "bd-plain";
        choice.textContent = link.textContent;
        choice.addEventListener("click", () => open(link));
        choices.append(choice);
      }
      show(words, choices);
    }
  }

  let lifted = null;
  const put = () => {
    if (lifted) {
      lifted.classList.remove("bd-lifted");
    }
    lifted = null;
    page.classList.remove("bd-dragging");
    for (const column of columns) {
      column.classList.remove("bd-open", "bd-from", "bd-over");
    }
  };

  page.addEventListener("dragstart", (event) => {
    const card = event.target.closest(".bd-card");
    if (!card) {
      return;
    }
    lifted = card;
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", card.id);
    card.classList.add("bd-lifted");
    // Later: a change of the page while a drag begins would end it.
    setTimeout(() => {
      page.classList.toggle("bd-dragging", lifted !== null);
      for (const column of columns) {
        column.classList.toggle("bd-open", lifted !== null && leading(card, column).length > 0);
        column.classList.toggle("bd-from", lifted !== null && column.contains(card));
      }
    });
  });
  page.addEventListener("dragend", put);
  for (const column of columns) {
    column.addEventListener("dragover", (event) => {
      if (lifted && !column.contains(lifted)) {
        // Taken here also when it is illegal, so that the refusal can be said.
        event.preventDefault();
        const legal = leading(lifted, column).length > 0;
        event.dataTransfer.dropEffect = legal ? "move" : "none";
        column.classList.toggle("bd-over", legal);
        if (!legal) {
          say(`No move leads to ${column.dataset.title} for this row.`);
        }
      }
    });
    column.addEventListener("dragleave", () => column.classList.remove("bd-over"));
    column.addEventListener("drop", (event) => {
      event.preventDefault();
      const card = lifted;
      put();
      if (card && !column.contains(card)) {
        move(card, column);
      }
    });
  }

  // Arrow keys walk the board; with Shift they move the row to the next column that takes it.
  const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 };
  page.addEventListener("keydown", (event) => {
    const card = event.target;
    if (!card.classList.contains("bd-card") || !(event.key in STEPS) || event.altKey || event.ctrlKey) {
      return;
    }
    event.preventDefault();
    const step = STEPS[event.key];
    const sideways = event.key === "ArrowLeft" || event.key === "ArrowRight";
    const at = columns.findIndex((column) => column.contains(card));
    const ahead = step > 0 ? columns.slice(at + 1) : columns.slice(0, at).reverse();
    if (!sideways) {
      const cards = [...columns[at].querySelectorAll(".bd-card")];
      (cards[cards.indexOf(card) + step] || card).focus();
    } else if (event.shiftKey) {
      const target = ahead.find((column) => leading(card, column).length > 0);
      if (target) {
        move(card, target);
      } else {
        say(`No move leads ${step > 0 ? "to the right" : "to the left"} for this row.`);
      }
    } else {
      ahead.map((column) => column.querySelector(".bd-card")).find(Boolean)?.focus();
    }
  });

  // The bar of the chosen rows is there when rows are chosen, with the field that its act needs.
  const bulk = page.querySelector("#bd-bulk");
  if (bulk) {
    const act = bulk.querySelector("[name=act]");
    const refresh = () => {
      const count = page.querySelectorAll("[name=row]:checked").length;
      bulk.hidden = count === 0;
      bulk.classList.toggle("bd-some", count > 0);
      bulk.querySelector("[data-chosen]").textContent = `With ${count} chosen ${count === 1 ? "row" : "rows"}`;
      for (const label of bulk.querySelectorAll("[data-for]")) {
        label.hidden = label.dataset.for !== act.selectedOptions[0].dataset.field;
      }
    };
    page.addEventListener("change", refresh);
    refresh();
  }
});
