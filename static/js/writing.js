/* What somebody types is kept on the server until it is sent. Every form works without it. */
"use strict";

(() => {
  const PAUSE = 1500; // milliseconds without a key
  const timers = new WeakMap();
  const token = () =>
    document.cookie.split("; ").find((one) => one.startsWith("csrftoken="))?.slice(10);

  async function keep(form, isLast) {
    clearTimeout(timers.get(form));
    timers.delete(form);
    if (!form.isConnected) return;
    const typed = new FormData();
    for (const [name, value] of new FormData(form)) if (typeof value === "string") typed.append(name, value);
    typed.set("draft_of", form.dataset.draft);
    const answer = await fetch(form.dataset.keep, {
      method: "POST",
      body: typed,
      keepalive: isLast, // the page may be gone before the answer
      headers: { "X-CSRFToken": token() ?? "", "HX-Request": "true" },
    }).catch(() => null);
    const place = form.querySelector("[data-draft-said]");
    if (!place || !answer?.headers.get("content-type")?.includes("json")) return;
    place.textContent = (await answer.json()).said;
  }

  for (const change of ["input", "change"])
    document.addEventListener(change, ({ target }) => {
      const form = target.closest?.("form[data-draft]");
      if (!form) return;
      clearTimeout(timers.get(form));
      timers.set(form, setTimeout(() => keep(form), PAUSE));
    });

  // Sent: what is typed goes with it, and is no draft any more.
  document.addEventListener("submit", ({ target }) => {
    clearTimeout(timers.get(target));
    timers.delete(target);
  }, true);

  addEventListener("pagehide", () => {
    for (const form of document.querySelectorAll("form[data-draft]"))
      if (timers.has(form)) keep(form, true);
  });
})();
