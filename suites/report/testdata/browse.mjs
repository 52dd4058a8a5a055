// browse.mjs BROWSER AXE FILE [SHOTS] opens a page in headless Chromium, at two widths and in both
// colour schemes, and prints as JSON what a reader would meet: console messages, requests, what
// overflows, what axe-core finds and in which order the keyboard reaches links and summaries. With
// SHOTS it leaves screenshots in that directory. It needs no package: Chromium is driven through a pipe.
import {spawn} from "node:child_process";
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {basename, dirname, join} from "node:path";
import {pathToFileURL} from "node:url";

const [browser, axe, file, shots] = process.argv.slice(2);
const home = mkdtempSync(join(tmpdir(), "browse-"));
const chromium = spawn(browser, ["--headless=shell", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--hide-scrollbars",
  "--remote-debugging-pipe", `--user-data-dir=${home}`, "about:blank"], {stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], env: {...process.env, HOME: home, LD_LIBRARY_PATH: join(dirname(browser), "lib")}});
const [, , , to, from] = chromium.stdio;

let last = 0, rest = "";
const waiting = new Map(), seen = [], loaded = [];
// Chromium that ends, in the middle or because it was asked to, answers nothing that is waited for.
const ended = new Promise(done => chromium.on("close", (code, signal) => {
  for (const answer of waiting.values()) answer({error: {message: `Chromium ended (${signal ?? code})`}});
  done();
}));
to.on("error", () => {}); // send tells it
from.setEncoding("utf8").on("data", text => {
  const parts = (rest + text).split("\0");
  rest = parts.pop();
  for (const m of parts.map(p => JSON.parse(p))) {
    if (m.id) { waiting.get(m.id)(m); waiting.delete(m.id); }
    else if (m.method === "Page.loadEventFired") loaded.shift()?.();
    else seen.push(m);
  }
});
const send = (method, params = {}, sessionId = session) => new Promise((done, failed) => {
  waiting.set(++last, m => m.error ? failed(new Error(`${method}: ${m.error.message}`)) : done(m.result));
  to.write(JSON.stringify({id: last, method, params, sessionId}) + "\0", error => error && failed(error));
});
const evaluate = async expression => {
  const {result, exceptionDetails} = await send("Runtime.evaluate", {expression, awaitPromise: true, returnByValue: true});
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value;
};

let session;
const {targetInfos} = await send("Target.getTargets");
({sessionId: session} = await send("Target.attachToTarget", {targetId: targetInfos.find(t => t.type === "page").targetId, flatten: true}));
for (const domain of ["Page", "Runtime", "Log", "Network"]) await send(domain + ".enable");

const open = async () => {
  const done = new Promise(resolve => loaded.push(resolve));
  await send("Page.navigate", {url: pathToFileURL(file).href});
  await done;
};
const out = {overflow: [], violations: [], incomplete: [], order: []};
const script = readFileSync(axe, "utf8");
for (const width of [1280, 360]) {
  for (const scheme of ["light", "dark"]) {
    await send("Emulation.setDeviceMetricsOverride", {width, height: 900, deviceScaleFactor: 1, mobile: false});
    await send("Emulation.setEmulatedMedia", {features: [{name: "prefers-color-scheme", value: scheme}]});
    await open();
    for (const opened of [false, true]) {
      if (opened) await evaluate(`document.querySelectorAll("details").forEach(d => d.open = true)`);
      const wide = await evaluate(`document.documentElement.scrollWidth`);
      if (wide > width) out.overflow.push({width, scheme, opened, wide});
      if (shots) {
        const {data} = await send("Page.captureScreenshot", {captureBeyondViewport: true, ...clip(width, Math.min(await evaluate(`document.documentElement.scrollHeight`), opened ? 16000 : 8000))});
        writeFileSync(join(shots, `${basename(file, ".html")}-${width}-${scheme}${opened ? "-open" : ""}.png`), Buffer.from(data, "base64"));
      }
    }
    if ((width === 1280) !== (scheme === "light")) continue; // each width and each scheme once
    await evaluate(script + ";0"); // the page's policy does not apply to the protocol
    const {violations, incomplete} = await evaluate(`axe.run(document, {resultTypes: ["violations", "incomplete"]}).then(r => {
      const brief = all => all.map(v => ({id: v.id, impact: v.impact, help: v.help, nodes: v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + " | " + n.failureSummary.slice(0, 300))}));
      return {violations: brief(r.violations), incomplete: brief(r.incomplete)};
    })`);
    out.violations.push(...violations.map(v => ({width, scheme, ...v})));
    out.incomplete.push(...incomplete.map(v => ({width, scheme, ...v})));
  }
}

// The keyboard: Tab visits what can be focused in the order of the page, and every stop is visible.
await open();
const stops = await evaluate(`[...document.querySelectorAll("a[href], summary, [tabindex]")].filter(e => e.checkVisibility()).length`);
for (let i = 0; i < Math.min(stops, 200); i++) {
  await send("Input.dispatchKeyEvent", {type: "keyDown", key: "Tab", code: "Tab", windowsVirtualKeyCode: 9});
  await send("Input.dispatchKeyEvent", {type: "keyUp", key: "Tab", code: "Tab", windowsVirtualKeyCode: 9});
  out.order.push(await evaluate(`(() => {
    const e = document.activeElement, s = getComputedStyle(e), before = window.last;
    window.last = e;
    return {name: e.tagName.toLowerCase() + " " + e.textContent.trim().slice(0, 60), visible: e.checkVisibility(), ring: s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0,
      forward: !before || !!(before.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING)};
  })()`));
}
out.stops = stops;
out.console = seen.filter(m => ["Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"].includes(m.method)).map(m => m.params.entry?.text ?? JSON.stringify(m.params).slice(0, 300));
out.requests = seen.filter(m => m.method === "Network.requestWillBeSent").map(m => m.params.request.url).filter(url => url !== pathToFileURL(file).href);
out.documents = seen.filter(m => m.method === "Network.requestWillBeSent").length - out.requests.length;
console.log(JSON.stringify(out));
send("Browser.close", {}, undefined).catch(() => {}); // it may end before its answer is written
await ended;
rmSync(home, {recursive: true, force: true, maxRetries: 5});

function clip(width, height) { return {clip: {x: 0, y: 0, width, height, scale: 1}}; }
