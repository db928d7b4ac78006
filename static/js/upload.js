/* Several files, each sent by itself with its progress. Without script the form sends all at once. */
"use strict";

(() => {
  const form = document.querySelector("form[data-upload]");
  if (!form || !window.crypto?.randomUUID) return;
  const list = form.querySelector(".uploads");
  const button = form.querySelector("button.main");
  const value = (name) => form.querySelector(`[name=${name}]`).value;
  const token = () =>
    document.cookie.split("; ").find((one) => one.startsWith("csrftoken="))?.slice(10) ?? value("csrfmiddlewaretoken");

  form.addEventListener("submit", async (event) => {
    const inputs = [...form.querySelectorAll("input[type=file]")].filter((one) => one.files.length);
    if (!inputs.length) return; // the server says what is missing
    event.preventDefault();
    button.disabled = true;
    list.hidden = false;
    list.replaceChildren();
    let refused = null;
    for (const input of inputs) {
      const left = new DataTransfer();
      for (const file of input.files)
        if (!(await send(input.dataset.name, file))) left.items.add(file);
      input.files = left.files; // what was refused stays chosen, what is recorded does not
      if (left.files.length) refused ??= input;
    }
    button.disabled = false;
    if (refused) refused.focus();
    else location.assign(form.dataset.after);
  });

  function send(name, file) {
    const line = document.createElement("li");
    const bar = document.createElement("progress");
    const said = document.createElement("span");
    const label = document.createElement("b");
    label.textContent = file.name;
    bar.max = 1;
    bar.value = 0;
    bar.setAttribute("aria-label", file.name);
    line.append(label, bar, said);
    list.append(line);
    const body = new FormData();
    for (const one of ["for", "seen"]) body.append(one, value(one));
    body.append("csrfmiddlewaretoken", token());
    body.append("key", crypto.randomUUID());
    body.append("name", name);
    body.append("file", file);
    return new Promise((done) => {
      const call = new XMLHttpRequest();
      const end = (isKept, words) => {
        bar.value = 1;
        bar.hidden = true;
        line.className = isKept ? "good" : "bad";
        said.textContent = words;
        done(isKept);
      };
      call.upload.onprogress = ({ loaded, total }) => (bar.value = total ? loaded / total : 0);
      call.onerror = () => end(false, form.dataset.lost);
      call.onload = () => {
        if (call.status === 200 && !call.responseURL.includes("/login/")) return end(true, form.dataset.sent);
        const page = new DOMParser().parseFromString(call.responseText, "text/html");
        const found = [...page.querySelectorAll("#errors p, #errors li")].map((one) => one.textContent.trim());
        end(false, found.join(" ") || form.dataset.lost);
      };
      call.open("POST", form.dataset.upload);
      call.setRequestHeader("X-CSRFToken", token());
      call.send(body);
    });
  }
})();
