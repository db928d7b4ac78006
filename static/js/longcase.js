/* What HTML and htmx do not do by themselves. Every page works without it. */
"use strict";

const $ = (selector, from = document) => from.querySelector(selector);
const body = document.body;
const words = body.dataset; // sentences in the reader's language, written by the server

// --- Sending -------------------------------------------------------------------------------

const cookie = (name) =>
  document.cookie.split("; ").find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1);

document.addEventListener("htmx:config:request", ({ detail: { ctx } }) => {
  // Someone may have signed in again in another window: the cookie knows, this page does not.
  const token = cookie("csrftoken");
  if (!token || ctx.request.method === "GET") return;
  ctx.request.headers["X-CSRFToken"] = token;
  if (ctx.request.body?.has?.("csrfmiddlewaretoken")) ctx.request.body.set("csrfmiddlewaretoken", token);
});

const busy = $("#busy");
let waiting = [];

document.addEventListener("htmx:before:request", ({ detail: { ctx } }) => {
  trouble(null);
  ctx.target?.setAttribute?.("aria-busy", "true");
  waiting.forEach(clearTimeout);
  waiting = [
    setTimeout(() => (busy.hidden = false), 300),
    setTimeout(() => ($("p", busy).hidden = false), 3000),
  ];
});

document.addEventListener("htmx:finally:request", ({ detail: { ctx } }) => {
  waiting.forEach(clearTimeout);
  busy.hidden = $("p", busy).hidden = true;
  ctx.target?.removeAttribute?.("aria-busy");
  const lost = ctx.response ? ctx.response.status >= 500 : String(ctx.status).startsWith("error");
  // After htmx has given the buttons back: a button that was disabled has lost the focus.
  if (lost && ctx.request.method !== "GET") setTimeout(() => trouble(ctx.sourceElement));
});

function trouble(form) {
  $("#trouble")?.remove();
  const pattern = $("#trouble-words");
  if (!form?.isConnected || !pattern) return;
  form.prepend(pattern.content.cloneNode(true));
  $("#trouble").focus();
}

document.addEventListener("htmx:after:swap", () => {
  const dialog = $("dialog[data-open]:not([open])");
  dialog?.showModal();
  listen();
  count();
});

// --- Signed out, and signed in again in another window --------------------------------------

const windows = new BroadcastChannel("longcase");
if (words.signedIn) windows.postMessage("signed in");
windows.onmessage = () => {
  const dialog = $("#signed-out");
  if (!dialog?.open) return;
  dialog.close();
  $("#say").textContent = words.sendAgain;
};

const WARN_SECONDS = 300;
let ending;
function remind() {
  clearTimeout(ending);
  const left = Number(words.sessionSeconds) - WARN_SECONDS;
  if (left > 0) ending = setTimeout(() => $("#ending")?.showModal(), left * 1000);
}
$("#ending")?.addEventListener("close", async () => {
  const { ok } = await fetch(words.stay, { method: "POST", headers: { "X-CSRFToken": cookie("csrftoken") } });
  if (ok) remind();
});

// --- News: never swapped under someone's hands ----------------------------------------------

let news;
function listen() {
  clearInterval(news);
  const place = $("[data-pulse]");
  if (!place) return;
  news = setInterval(async () => {
    if (document.hidden) return;
    const answer = await fetch(place.dataset.pulse, { headers: { "HX-Request": "true" } }).catch(() => null);
    if (answer?.status === 401 || answer?.status === 404) clearInterval(news);
    if (answer?.status === 200 && !place.childElementCount) place.innerHTML = await answer.text();
  }, 20000);
}

// --- Menus, notices -------------------------------------------------------------------------

document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]"))
    if (!menu.contains(event.target)) menu.open = false;
  const dismiss = event.target.closest("[data-dismiss]");
  if (dismiss) {
    dismiss.closest(".notice").remove();
    $("#main").focus();
  }
  if (event.target.closest("[data-close]")) event.target.closest("dialog").close();
  if (event.target.closest("[data-keys-help]")) $("#keys")?.showModal();
  const copy = event.target.closest("[data-copy]");
  if (copy) {
    navigator.clipboard?.writeText($(copy.dataset.copy).textContent);
    $("#say").textContent = copy.dataset.copied;
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const menu = event.target.closest?.("details.menu[open]");
  if (!menu) return;
  menu.open = false;
  $("summary", menu).focus();
});

// --- Keys: none is needed, none changes data ------------------------------------------------

let began = 0; // when G was pressed
document.addEventListener("keydown", (event) => {
  if (words.keys === "off" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input:not([type=checkbox]), textarea, select, dialog, [contenteditable]")) return;
  const key = event.key.toLowerCase();
  const wasG = event.timeStamp - began < 1500;
  began = key === "g" ? event.timeStamp : 0;
  const act =
    (wasG && $(`[data-go="${key}"]`)) ||
    { "/": $("#find"), n: $("[data-key=n]"), a: $("[data-key=a]"), arrowleft: $("[data-key=left]"), arrowright: $("[data-key=right]"), "?": $("#keys"), j: row(1), k: row(-1), x: ticked() }[key];
  if (!act) return;
  event.preventDefault();
  if (act.matches("dialog")) act.showModal();
  else if (act.matches("input[name=row]")) act.click();
  else if (act.matches("a") && !act.closest(".list")) act.click();
  else act.focus();
});

function row(by) {
  const links = [...document.querySelectorAll(".list tbody tr:not(.group)")]
    .map((one) => $("a", one))
    .filter(Boolean);
  const here = links.findIndex((link) => link.closest("tr").contains(document.activeElement));
  return links[here < 0 ? (by > 0 ? 0 : links.length - 1) : here + by];
}

function ticked() {
  return $("input[name=row]", document.activeElement.closest(".list tr") ?? document.createElement("p"));
}

// --- Rows that are chosen -------------------------------------------------------------------

function count() {
  const boxes = [...document.querySelectorAll("input[name=row]")];
  const all = $("[data-all]"), told = $("[data-count]");
  if (!all || !told) return;
  const n = boxes.filter((one) => one.checked).length;
  all.hidden = told.hidden = false;
  all.checked = n > 0 && n === boxes.length;
  all.indeterminate = n > 0 && n < boxes.length;
  $("b", told).textContent = n;
}

document.addEventListener("change", ({ target }) => {
  if (target.matches("[data-all]"))
    for (const one of document.querySelectorAll("input[name=row]")) one.checked = target.checked;
  if (target.matches("[data-all], input[name=row]")) {
    const scope = $("#chosen [name=scope]");
    if (scope) scope.value = "ticked";
    count();
  }
});

listen();
count();
remind();
