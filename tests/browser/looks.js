// What a look at a page tells that axe does not. Each function gives a list of sentences.
(() => {
  const named = (element) => {
    const text = (element.textContent || "").trim().replace(/\s+/g, " ").slice(0, 50);
    const classes = typeof element.className === "string" ? element.className : "";
    return `<${element.tagName.toLowerCase()}${classes ? ` class="${classes}"` : ""}> “${text}”`;
  };
  const shows = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  // Hidden from eyes and kept for readers of screens.
  const isAside = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const style = getComputedStyle(one);
      if (style.clipPath !== "none" || (style.clip !== "auto" && style.position === "absolute")) return true;
    }
    return false;
  };
  // Inside something that scrolls by itself, which may be wider than the window.
  const scrolls = (element, until) => {
    for (let one = element.parentElement; one && one !== until; one = one.parentElement) {
      if (["auto", "scroll"].includes(getComputedStyle(one).overflowX)) return true;
    }
    return false;
  };
  const texts = () => {
    const found = new Set();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const parent = walker.currentNode.parentElement;
      if (walker.currentNode.nodeValue.trim() && parent && !["SCRIPT", "STYLE", "NOSCRIPT", "TITLE"].includes(parent.tagName)) {
        found.add(parent);
      }
    }
    return [...found].filter((one) => shows(one) && !isAside(one) && !one.closest("svg, select, option, textarea"));
  };
  const looks = {
    structure() {
      const wrong = [];
      const first = document.querySelectorAll("h1");
      if (first.length !== 1) wrong.push(`has ${first.length} h1`);
      if (!document.title.trim()) wrong.push("has no title");
      if (document.querySelectorAll("main").length !== 1) wrong.push("has not one main part");
      const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
      for (const id of new Set(ids.filter((id, place) => ids.indexOf(id) !== place))) wrong.push(`has twice the id ${id}`);
      for (const part of document.querySelectorAll("main *")) {
        if (/\b(undefined|NaN|\[object)\b/.test(part.children.length ? "" : part.textContent) && !part.closest("code, pre")) {
          wrong.push(`shows ${named(part)}`);
        }
      }
      return wrong;
    },
    // Nothing makes the page scroll sideways, and no text is cut off without a sign.
    fits() {
      const wrong = [];
      const width = document.documentElement.clientWidth;
      const over = document.documentElement.scrollWidth - innerWidth;
      if (over > 0) wrong.push(`is ${over} px too wide`);
      for (const one of texts()) {
        const box = one.getBoundingClientRect();
        if (box.width && (box.right > width + 1 || box.left < -1) && !scrolls(one, null)) {
          wrong.push(`leaves the window: ${named(one)}`);
        }
        for (let holder = one; holder && holder !== document.body; holder = holder.parentElement) {
          const style = getComputedStyle(holder);
          if (!["hidden", "clip"].includes(style.overflowX) && !["hidden", "clip"].includes(style.overflowY)) continue;
          const cut = holder.scrollWidth > holder.clientWidth + 1 || holder.scrollHeight > holder.clientHeight + 1;
          if (cut && style.textOverflow !== "ellipsis" && style.webkitLineClamp === "none") {
            wrong.push(`cuts off ${named(one)} in ${named(holder)}`);
          }
          break;
        }
      }
      return [...new Set(wrong)].slice(0, 8);
    },
    // No two things to click lie on each other.
    apart() {
      const wrong = [];
      const all = [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")].filter(shows);
      for (const one of all) {
        const box = one.getBoundingClientRect();
        const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
        if (!box.width || isAside(one) || x < 0 || y < 0 || x > innerWidth || y > innerHeight || scrolls(one, null)) continue;
        const there = document.elementFromPoint(x, y);
        const other = there && there.closest("a[href], button, input, select, textarea, summary");
        if (other && other !== one && !one.contains(other) && !other.contains(one)) {
          wrong.push(`${named(other)} lies on ${named(one)}`);
        }
      }
      return wrong.slice(0, 5);
    },
    // What has the focus is seen, and how it shows that it has it.
    focus() {
      const one = document.activeElement;
      if (!one || one === document.body) return ["end"];
      if (one === looks.before) return []; // a part of it has the focus: the picker of a date
      looks.before = one;
      const box = one.getBoundingClientRect();
      const style = getComputedStyle(one);
      const wrong = [];
      const ring = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1;
      if (!ring) wrong.push(`shows no focus on ${named(one)}`);
      if (!box.width || !box.height) wrong.push(`gives the focus to what has no place: ${named(one)}`);
      else if (box.bottom < 0 || box.top > innerHeight) wrong.push(`gives the focus to what is out of sight: ${named(one)}`);
      else {
        const there = document.elementFromPoint(
          Math.min(Math.max(box.left + box.width / 2, 1), innerWidth - 2),
          Math.min(Math.max(box.top + box.height / 2, 1), innerHeight - 2),
        );
        const bar = there && there.closest("header, footer, nav, aside");
        if (bar && !bar.contains(one) && !one.contains(there) && ["sticky", "fixed"].includes(getComputedStyle(bar).position)) {
          wrong.push(`hides the focus under ${named(bar)}: ${named(one)}`);
        }
      }
      return wrong;
    },
    // Without backgrounds and shadows, what marks the current one is still there.
    forced() {
      const wrong = [];
      for (const one of document.querySelectorAll("[aria-current]:not([aria-current=false]), [aria-selected=true], [aria-pressed=true]")) {
        if (!shows(one) || isAside(one)) continue;
        const alike = [...(one.parentElement.closest("nav, ol, ul, [role=tablist], table, tbody") || one.parentElement).querySelectorAll(one.tagName)]
          .find((other) => other !== one && !other.hasAttribute("aria-current") && !other.matches("[aria-selected=true], [aria-pressed=true]") && shows(other));
        if (!alike) continue;
        const marks = (element) => {
          const parts = [element, element.parentElement].map((part) => {
            const style = getComputedStyle(part);
            const sides = ["Top", "Right", "Bottom", "Left"].map((side) => style[`border${side}Style`] === "none" ? "0" : style[`border${side}Width`] + style[`border${side}Color`]);
            return [style.fontWeight, style.textDecorationLine, style.outlineStyle, style.listStyleType, style.color, style.backgroundColor, ...sides].join();
          });
          return parts.join(";") + getComputedStyle(element, "::before").content + getComputedStyle(element, "::after").content;
        };
        if (marks(one) === marks(alike)) wrong.push(`marks nothing on ${named(one)} in forced colours`);
      }
      return wrong.slice(0, 5);
    },
  };
  // As a reader may want it (WCAG 1.4.12): more room between lines, words and letters.
  looks.spaced = () => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(
      "* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important }" +
      "p { margin-bottom: 2em !important }",
    );
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  };
  window.looks = looks;
})();
