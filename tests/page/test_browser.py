"""The page of `dlqueue report` in Debian's Chromium, driven through its DevTools: test_browser.py COMMAND CONFIGS LOG.

Skipped (exit status 77) but with `scripts/test --full`; without Chromium, too, unless DLQ_TEST_BROWSER is set.
"""

import base64
import fcntl
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time
import queue
import unittest
import xml.etree.ElementTree
import zlib

COMMAND, CONFIGS, LOG = sys.argv[1:4]
MOVE = 2  # a move's time, in ten million multiplications beside it: 0.58 alone, 0.66 with three busy programs
SLIDER = "#explore-1 input[type=range]"
SENTENCE = "document.querySelector('#explore-1 .sentence').textContent"
SAID = "document.querySelector('#explore-1 code').textContent"
MOMENT = "document.querySelector('#watch-1 .moment').textContent"
CLOCK = "document.querySelector('#watch-1 .clock').textContent"


class Browser:
    """Messages end with a NUL; Chromium reads them from descriptor 3 and answers on 4."""

    def __init__(self, program):
        self.home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        (theirs_in, ours_out), (ours_in, theirs_out) = os.pipe(), os.pipe()
        away = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (theirs_in, theirs_out)]

        def arrange():
            os.dup2(away[0], 3)
            os.dup2(away[1], 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
             "--disable-background-networking", "--disable-dev-shm-usage", "--hide-scrollbars", "--user-data-dir=" + self.home.name, "about:blank"],
            pass_fds=(3, 4), preexec_fn=arrange, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        for end in [theirs_in, theirs_out] + away:
            os.close(end)
        self.out, self.answers, self.number = ours_out, queue.Queue(), 0
        self.events = []
        threading.Thread(target=self.read, args=(ours_in,), daemon=True).start()

    def read(self, end):
        rest = b""
        while True:
            part = os.read(end, 1 << 20)
            if not part:
                break
            *messages, rest = (rest + part).split(b"\0")
            for message in messages:
                self.answers.put(json.loads(message))

    def call(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        while True:
            answer = self.answers.get(timeout=60)
            if answer.get("id") == self.number:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]
            self.events.append(answer)

    def close(self):
        self.process.terminate()
        self.process.wait(30)
        os.close(self.out)
        self.home.cleanup()


class Tab:
    """One page that is open."""

    def __init__(self, browser, path, address="", scripts=True, media=()):
        self.browser = browser
        self.target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        self.media = [{"name": name, "value": value} for name, value in media]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.size(1280, 1000)
        self.call("Emulation.setEmulatedMedia", features=self.media)
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        browser.events.clear()
        self.call("Page.navigate", url="file://" + path + address)
        self.wait_for("Page.loadEventFired")

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def wait_for(self, method):
        end = time.monotonic() + 60
        while not any(event.get("method") == method for event in self.browser.events):
            assert time.monotonic() < end, method
            self.value("0")

    def size(self, width, height, touch=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=touch)

    def value(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, (expression, answer["exceptionDetails"])
        value = answer["result"].get("value")
        return re.sub("[\u00a0\u202f]", " ", value) if isinstance(value, str) else value

    def key(self, name, text=None):
        codes = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Home": 36, "End": 35, " ": 32, "s": 83}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=name, windowsVirtualKeyCode=codes[name],
                  **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", key=name, windowsVirtualKeyCode=codes[name])
        self.frame()

    def frame(self):
        self.call("Page.bringToFront")  # no frames are drawn behind another tab
        self.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def mouse(self, kind, x, y):
        self.call("Input.dispatchMouseEvent", type="mouse" + kind, x=x, y=y, button="left", buttons=int(kind != "Released"),
                  clickCount=1)

    def box(self, selector):
        self.value(f"document.querySelector('{selector}').scrollIntoView({{block: 'center', behavior: 'instant'}})")
        self.frame()
        return self.value(f"(r => [r.left, r.top, r.width, r.height])"
                          f"(document.querySelector('{selector}').getBoundingClientRect())")

    def requests(self):
        return [event["params"]["request"]["url"] for event in self.browser.events
                if event.get("method") == "Network.requestWillBeSent"]

    def complaints(self):
        kinds = ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")
        return [event["params"] for event in self.browser.events if event.get("method") in kinds]

    def picture(self):
        return pixels(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)


def pixels(png):
    """The decompressed rows of a PNG: enough to tell blank from drawn, and one from another."""
    place, data = 8, b""
    while place < len(png):
        length, kind = struct.unpack(">I4s", png[place:place + 8])
        if kind == b"IDAT":
            data += png[place + 8:place + 8 + length]
        place += 12 + length
    return zlib.decompress(data)


# Texts (but not the squares of keys) with a contrast below 4.5 to what lies below them, and those smaller than 11 px. A boxed text of a chart, which
# is drawn twice, lies on an outline in the color of the page.
HARD_TO_READ = r"""(() => {
    const channels = color => [...color.match(/[\d.]+/g).map(Number), 1].slice(0, 4);
    const over = (above, below) => [0, 1, 2].map(i => above[i] * above[3] + below[i] * (1 - above[3]));
    const linear = v => v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4;
    const light = c => 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2]);
    const page = channels(getComputedStyle(document.body).backgroundColor), found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node; node = walker.nextNode();) {
        const element = node.parentElement, style = getComputedStyle(element), box = element.getBoundingClientRect();
        if (/^[\s\u25a0\u25a8]*$/.test(node.textContent) || !box.width || element.closest('script, style, title, option, .skip, .status')) continue;
        const drawn = element instanceof SVGElement, turn = drawn ? element.getScreenCTM() : null;
        const size = parseFloat(style.fontSize) * (drawn ? Math.hypot(turn.b, turn.d) : 1), below = [];
        if (!drawn)
            for (let e = element; e; e = e.parentElement) below.unshift(channels(getComputedStyle(e).backgroundColor));
        else if (![...element.ownerSVGElement.querySelectorAll('.boxed')].some(e => e.textContent === node.textContent))
            for (const shape of element.ownerSVGElement.querySelectorAll('rect, polygon, path, circle')) {
                const fill = getComputedStyle(shape).fill, own = shape.getScreenCTM();
                const middle = new DOMPoint(box.left + box.width / 2, box.top + box.height / 2).matrixTransform(own.inverse());
                if (fill !== 'none' && shape.compareDocumentPosition(element) & 4 && shape.isPointInFill(middle))
                    below.push(channels(fill).map((v, i) => i === 3 ? v * getComputedStyle(shape).fillOpacity : v));
            }
        const ground = below.reduce((under, color) => over(color, under), page);
        const [a, b] = [light(over(channels(drawn ? style.fill : style.color), ground)), light(ground)];
        const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (contrast < 4.5 || size < 10.99) found.push([node.textContent.trim(), contrast.toFixed(2), size.toFixed(1)]);
    }
    return found;
})()"""


def lone_headings(pdf):
    """Headings, with the paragraphs after them, that stand on another page than what they are about: from the structure
    of a tagged PDF."""
    objects = {int(number): body for number, body in re.findall(rb"\n(\d+) 0 obj\s(.*?)endobj", pdf, re.S)}
    leaves = []

    def walk(number, kind, page):
        body = objects[number]
        kind = (re.search(rb"/S /(?!NonStruct|Span)(\w+)", body) or [kind, kind])[1]
        page = (re.search(rb"/Pg (\d+)", body) or [page, page])[1]
        inside = re.search(rb"/K (\[.*?\]|\d+ 0 R|<<.*?>>|\d+)", body, re.S)[1]
        below = [int(child) for child in re.findall(rb"(\d+) 0 R", inside)]
        if b"/MCID" in inside or not below:
            leaves.append((kind, page))
        for child in below:
            if b"/StructElem" in objects[child]:
                walk(child, kind, page)

    root = next(body for body in objects.values() if b"/StructTreeRoot" in body)
    walk(int(re.search(rb"/K (\d+)", root)[1]), b"", b"")
    assert any(kind == b"H2" for kind, _ in leaves)
    lone = []
    for i, (kind, page) in enumerate(leaves):
        about = next((there for what, there in leaves[i + 1:] if not re.fullmatch(rb"H\d|P", what)), page)
        if re.match(rb"H[23]", kind) and about != page:
            lone.append(i)
    return lone


def make(directory, name, *arguments):
    path = os.path.join(directory, name)
    subprocess.run([COMMAND, "report", *arguments, "-o", path], check=True, capture_output=True, timeout=900)
    return path


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        made = cls.directory.name
        cls.tail = make(made, "tail.html", os.path.join(CONFIGS, "tail.ini"))
        cls.log = make(made, "log.html", "--log", LOG, "--no-explore")
        cls.two = make(made, "two.html", "--no-explore", os.path.join(CONFIGS, "blog-slow.ini"),
                       os.path.join(CONFIGS, "blog-fast.ini"))
        cls.runs = make(made, "runs.html", "--no-explore", "--compare", "--log", os.path.join(
            os.path.dirname(LOG), "n4_p2_const_r2.csv"), "--log", LOG)
        cls.browser = Browser(cls.program)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.directory.cleanup()

    def open(self, path, address="", **options):
        tab = Tab(self.browser, path, address, **options)
        self.addCleanup(tab.close)
        return tab

    def test_opens_in_silence(self):
        for path in (self.tail, self.log, self.two, self.runs):
            tab = self.open(path)
            tab.frame()
            self.assertEqual(tab.requests(), ["file://" + path])
            self.assertEqual(tab.complaints(), [])

    def test_slider_by_keys(self):
        tab = self.open(self.tail)
        tab.value(f"document.querySelector('{SLIDER}').focus()")
        before = [tab.value(expression) for expression in (SENTENCE, SAID, "location.hash")]
        self.assertEqual(before[2], "")
        self.assertIn("8 loaders, prefetch 2, loads of 590 ms", before[0])
        self.assertIn("as reported", before[0])
        tab.key("ArrowRight")
        after = [tab.value(expression) for expression in (SENTENCE, SAID, "location.hash")]
        self.assertIn("9 loaders, prefetch 2, loads of 590 ms", after[0])
        self.assertIn("against now", after[0])
        self.assertRegex(after[1], r"^dlqueue solve \S+ --loaders 9$")
        self.assertEqual(after[2], "#at:loaders=8")
        self.assertIn("% busy", tab.value(f"document.querySelector('{SLIDER}').getAttribute('aria-valuetext')"))
        again = self.open(self.tail, after[2])
        self.assertEqual(again.value(SENTENCE), after[0])
        tab.value("[...document.querySelectorAll('#explore-1 button')].find(b => b.textContent.startsWith('Back')).click()")
        tab.frame()
        self.assertEqual(tab.value(SENTENCE), before[0])
        self.assertEqual(tab.value("location.hash"), "")

    def test_drags(self):
        tab = self.open(self.tail)
        x, y, width, height = tab.box("#explore-1 .curve svg")
        tab.mouse("Pressed", x + width * 0.5, y + height / 2)
        tab.mouse("Moved", x + width * 0.9, y + height / 2)
        tab.mouse("Released", x + width * 0.9, y + height / 2)
        tab.frame()
        dragged = int(tab.value(f"document.querySelector('{SLIDER}').value"))
        self.assertGreater(dragged, 20)
        x, y, width, height = tab.box(SLIDER)
        tab.mouse("Pressed", x + width * 0.3, y + height / 2)
        tab.mouse("Moved", x + width * 0.1, y + height / 2)
        tab.mouse("Released", x + width * 0.1, y + height / 2)
        tab.frame()
        self.assertLess(int(tab.value(f"document.querySelector('{SLIDER}').value")), 8)

    def test_map(self):
        """Each cell says what the sentence says once it is chosen; keys, hover and clicks find the same cells."""
        tab = self.open(self.tail)
        tab.value("document.querySelector('#explore-1 .map svg').focus()")
        chosen = ("(m => document.getElementById(m.getAttribute('aria-activedescendant')).getAttribute('aria-label'))"
                  "(document.querySelector('#explore-1 .map svg'))")
        for key, said, address in (("ArrowRight", "9 loaders, prefetch 2", "#at:loaders=8"),
                                   ("ArrowUp", "9 loaders, prefetch 3", "#at:loaders=8&prefetch=2"),
                                   ("Home", "1 loader, prefetch 3", "#at:loaders=0&prefetch=2"),
                                   ("ArrowLeft", "1 loader, prefetch 3", "#at:loaders=0&prefetch=2"),
                                   ("ArrowDown", "1 loader, prefetch 2", "#at:loaders=0")):
            tab.key(key)
            self.assertEqual(tab.value("location.hash"), address)
            label = tab.value(chosen)
            self.assertIn(said + ":", label)
            rate, busy = re.search(r": (.*?) batches/s, (.*)$", label).groups()
            for part in (said, rate + " batches/s", busy):
                self.assertIn(part, tab.value(SENTENCE))
        self.assertEqual(tab.value("document.querySelectorAll('#explore-1 .map [aria-selected=true]').length"), 1)
        at = ("(r => [r.left + r.width / 2, r.top + r.height / 2])"
              "(document.getElementById('map-1-3-11').getBoundingClientRect())")
        tab.box("#explore-1 .map svg")
        x, y = tab.value(at)
        tab.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        tab.frame()
        hint = "document.querySelector('#explore-1 .hint').textContent"
        self.assertIn("12 loaders, prefetch 4: ", tab.value(hint))
        self.assertIn("prefetch 2", tab.value(SENTENCE), "a hover chooses nothing")
        tab.mouse("Pressed", x, y)
        tab.mouse("Released", x, y)
        tab.frame()
        self.assertIn("12 loaders, prefetch 4, ", tab.value(SENTENCE))

    def test_address_is_kept_and_obeyed(self):
        tab = self.open(self.tail, "#at:loaders=8")
        before = tab.value(SENTENCE)
        tab.value("document.querySelector('nav.parts a[href=\"#charts-1\"]').click()")
        tab.frame()
        self.assertEqual(tab.value("location.hash"), "#at:loaders=8")
        self.assertEqual(tab.value("document.activeElement.id"), "charts-1")
        self.assertEqual(tab.value(SENTENCE), before)
        tab.value("location.hash = '#at:prefetch=3'")
        tab.frame()
        self.assertIn("8 loaders, prefetch 4, ", tab.value(SENTENCE))
        tab.value("location.hash = '#watch-1'")
        tab.frame()
        self.assertIn("8 loaders, prefetch 4, ", tab.value(SENTENCE), "a link of a part moves no slider")
        both = self.open(self.two, "#at:view=0")
        both.value("location.hash = '#at:view=1'")
        both.frame()
        self.assertEqual(both.value("[...document.querySelectorAll('article')].map(a => a.hidden)"), [True, False])

    def test_bad_addresses(self):
        plain = self.open(self.tail).value(SENTENCE)
        last = self.open(self.tail, "#at:loaders=9999&prefetch=0").value(SENTENCE)
        self.assertRegex(last, r"^[1-6]\d loaders, prefetch 1,")
        for address in ("#at:loaders=-1", "#at:loaders=2;x=1", "#at:<b>=1", "#at:nothing=3", "#at:", "#at:view=7"):
            tab = self.open(self.tail, address)
            self.assertEqual(tab.value(SENTENCE), plain, address)
            self.assertEqual(tab.complaints(), [], address)

    def test_every_move_is_quick(self):
        tab = self.open(self.tail)
        slowest = min(tab.value(f"""(async () => {{
            let most = 0, product = 1;
            for (const slider of document.querySelectorAll('{SLIDER}'))
                for (const value of [slider.max, 0, Math.floor(slider.max / 2)]) {{
                    slider.value = value;
                    const begin = performance.now();
                    for (let i = 0; i < 1e7; i++)
                        product = Math.imul(product, 1664525) + i;
                    const multiplied = performance.now();
                    slider.dispatchEvent(new Event('input', {{bubbles: true}}));
                    document.body.getBoundingClientRect();
                    most = Math.max(most, (performance.now() - multiplied) / (multiplied - begin));
                    await new Promise(requestAnimationFrame);
                }}
            window.product = product;
            return most;
        }})()""") for _ in range(3))
        print(f"a move takes at most {slowest:.2f} times as long as the multiplications", file=sys.stderr)
        self.assertLess(slowest, MOVE)

    def seconds(self, tab):
        number, unit = re.match(r"([\d.]+)\s*(\S+)", tab.value(CLOCK)).groups()
        return float(number) * {"of": 0, "s": 1, "ms": 1e-3, "µs": 1e-6}[unit]

    def test_player(self):
        tab = self.open(self.tail)
        tab.value("document.querySelector('#watch-1 canvas').focus()")
        opened = self.seconds(tab)
        time.sleep(0.2)
        self.assertEqual(self.seconds(tab), opened, "it must not start by itself")
        tab.key("Home")
        self.assertEqual(self.seconds(tab), 0)
        tab.value("document.querySelector('#watch-1 select').value = 1")
        ratios = []
        for _ in range(3):
            tab.key("Home")
            begin = time.monotonic()
            tab.key(" ", " ")
            time.sleep(0.8)
            tab.key(" ", " ")
            ratios.append(self.seconds(tab) / (time.monotonic() - begin))
        print(f"the player runs at {max(ratios):.2f} of real time", file=sys.stderr)
        self.assertTrue(0.5 <= max(ratios) <= 1.15, ratios)
        paused = self.seconds(tab)
        tab.key("ArrowRight")
        event = self.seconds(tab)
        self.assertGreaterEqual(event, paused)
        tab.key("ArrowRight")
        self.assertGreater(self.seconds(tab), event - 1e-9)
        tab.key("s")
        self.assertIn("waits", tab.value(MOMENT))
        tab.key("End")
        self.assertIn(tab.value(CLOCK).split(" of ")[0], tab.value(CLOCK).split(" of ")[1])
        tab.key("ArrowLeft")
        self.assertEqual(tab.value("document.querySelector('#watch-1 canvas').getAttribute('aria-label')"),
                         tab.value(MOMENT))

    def test_player_of_a_log(self):
        tab = self.open(self.log)
        tab.value("document.querySelector('#watch-1 canvas').focus()")
        tab.key("Home")
        tab.key("ArrowRight")
        self.assertTrue(tab.value(MOMENT))

    def test_reduced_motion(self):
        tab = self.open(self.tail, media=[("prefers-reduced-motion", "reduce")])
        tab.value("document.querySelector('#watch-1 canvas').focus()")
        tab.key("Home")
        tab.key(" ", " ")
        seen = set()
        end = time.monotonic() + 1.3
        while time.monotonic() < end:
            seen.add(tab.value(CLOCK))
            time.sleep(0.05)
        tab.key(" ", " ")
        self.assertTrue(2 <= len(seen) <= 4, seen)  # two events a second

    def test_names(self):
        tab = self.open(self.tail)
        nodes = tab.call("Accessibility.getFullAXTree")["nodes"]
        named = {"slider": 0, "button": 0, "image": 0, "combobox": 0, "link": 0}
        for node in nodes:
            role = node.get("role", {}).get("value")
            if role in named and not node.get("ignored"):
                named[role] += 1
                self.assertTrue(node.get("name", {}).get("value"), node)
        for role, count in named.items():
            self.assertGreater(count, 0, role)
        self.assertTrue(tab.value("(ids => ids.length === new Set(ids).size)"
                                  "([...document.querySelectorAll('[id]')].map(e => e.id))"))

    def test_widths(self):
        for path in (self.tail, self.log, self.two, self.runs):
            tab = self.open(path)
            for width in (1280, 768, 320):
                tab.size(width, 800, touch=width < 500)
                tab.frame()
                self.assertLessEqual(tab.value("document.documentElement.scrollWidth"), width, (path, width))
                if width > 500:
                    continue
                small = tab.value("""[...document.querySelectorAll('button, select, summary, nav.parts a')].filter(e => {
                    const box = e.getBoundingClientRect();
                    return box.height > 0 && box.height < 43.5; }).map(e => e.textContent)""")
                self.assertEqual(small, [], (path, width))

    def test_dark(self):
        light = self.open(self.tail).picture()
        dark = self.open(self.tail, media=[("prefers-color-scheme", "dark")]).picture()
        for picture in (light, dark):
            self.assertGreater(len(set(picture[::97])), 16, "blank")
        self.assertNotEqual(light, dark)

    def test_is_legible(self):
        for path in (self.tail, self.runs):
            for scheme in ("light", "dark"):
                tab = self.open(path, media=[("prefers-color-scheme", scheme)])
                tab.size(390, 800, touch=True)
                tab.frame()
                self.assertEqual(tab.value(HARD_TO_READ), [], (path, scheme))

    def test_copies_and_saves(self):
        """A button takes the text beside it, or selects it; a saved chart is a whole SVG with colors of its own."""
        tab = self.open(self.log)
        texts = tab.value("[...document.querySelectorAll('.copied')].map(box => box.querySelector('pre').textContent)")
        self.assertRegex(texts[0], r"^DataLoader\(num_workers=\d+")
        self.assertRegex(texts[-1], r"^dlqueue report --log ")
        for i, text in enumerate(texts):
            taken = tab.value(f"""(async () => {{
                const button = document.querySelectorAll('.copied button')[{i}];
                getSelection().removeAllRanges();
                button.click();
                await new Promise(done => setTimeout(done, 300));
                return button.textContent === 'Copied' || getSelection().toString().trim();
            }})()""")
            self.assertIn(taken, (True, re.sub("[\u00a0\u202f]", " ", text).strip()))
        saved = os.path.join(self.directory.name, "saved")
        self.browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=saved)
        tab.value("document.querySelector('figure.chart button').click()")
        path, end = os.path.join(saved, "waits-for-data-over-the-iterations-and-by-their-length.svg"), time.monotonic() + 30
        while not os.path.exists(path) and time.monotonic() < end:
            time.sleep(0.1)
        root = xml.etree.ElementTree.parse(path).getroot()
        self.assertEqual(root.get("viewBox"), "0 0 1040 590")
        with open(path, encoding="utf-8") as file:
            self.assertNotIn("var(", file.read())
        self.assertGreater(len(list(root.iter("{http://www.w3.org/2000/svg}text"))), 10)

    def test_print(self):
        for path, most in ((self.tail, 5), (self.log, 6)):
            tab = self.open(path)
            pdf = base64.b64decode(tab.call("Page.printToPDF", paperWidth=8.27, paperHeight=11.69,
                                            generateTaggedPDF=True)["data"])
            pages = len(re.findall(rb"/Type\s*/Page\b", pdf))
            print(f"{os.path.basename(path)} prints to {pages} pages", file=sys.stderr)
            self.assertTrue(1 <= pages <= most, pages)
            self.assertEqual(lone_headings(pdf), [], path)
            tab.call("Emulation.setEmulatedMedia", media="print")
            self.assertEqual(tab.value("getComputedStyle(document.querySelector('#watch-1 .controls')).display"), "none")

    def test_without_scripts(self):
        tab = self.open(self.tail, scripts=False)
        document = tab.call("DOM.getDocument", depth=0)["root"]["nodeId"]

        def boxes(selector):
            nodes = tab.call("DOM.querySelectorAll", nodeId=document, selector=selector)["nodeIds"]
            heights = []
            for node in nodes:
                try:
                    heights.append(tab.call("DOM.getBoxModel", nodeId=node)["model"]["height"])
                except AssertionError:  # not shown
                    heights.append(0)
            return heights

        self.assertGreater(boxes("#reproduce-1 details pre")[0], 300)
        self.assertGreater(boxes("h1")[0], 10)
        self.assertGreater(max(boxes("#charts-1 svg")), 100)
        self.assertEqual(boxes("#explore-1"), [0])
        self.assertEqual(boxes("#watch-1"), [0])

    def test_tabs(self):
        tab = self.open(self.two)
        shown = "[...document.querySelectorAll('article')].map(a => a.hidden)"
        self.assertEqual(tab.value(shown), [False, True])
        tab.value("document.querySelectorAll('.compare button')[1].click()")
        self.assertEqual(tab.value(shown), [True, False])
        self.assertEqual(self.open(self.two, tab.value("location.hash")).value(shown), [True, False])

    def test_two_runs(self):
        """A row for each time that is compared; both runs are within reach."""
        tab = self.open(self.runs)
        rows = tab.value("[...document.querySelectorAll('.comparison tbody tr')].map(r => r.textContent)")
        told = tab.value("JSON.parse(document.getElementById('data').textContent).compare.moves.map(m => m.moved)")
        self.assertEqual(["not proven" in row for row in rows], [not moved for moved in told])
        self.assertGreater(len(rows), 3)
        buttons = "[...document.querySelectorAll('.compare button')]"
        self.assertEqual(tab.value(buttons + ".map(b => b.textContent.split(':')[0])"), ["before", "after"])
        tab.value(buttons + "[1].click()")
        self.assertEqual(tab.value("[...document.querySelectorAll('article')].map(a => a.hidden)"), [True, False])

    def test_shared_sliders_and_costs(self):
        """A move moves the same slider of the other configuration, unless that is switched off; the cost is the price
        of the time that an epoch takes."""
        paths = []
        for name, loaders, load in (("a", 2, 300), ("b", 5, 800)):
            paths.append(os.path.join(self.directory.name, name + ".ini"))
            with open(paths[-1], "w", encoding="utf-8") as file:
                file.write(f"[pipeline]\nloaders = {loaders}\nepoch_batches = 150\n[load]\nmean = {load}ms\ncv = 0.4\n"
                           "[step]\nmean = 100ms\n[host]\nprice = 7.3\n[simulate]\nbatches = 300\n")
        tab = self.open(make(self.directory.name, "shared.html", *paths))
        at = "[...document.querySelectorAll('.compare tbody td:last-child')].map(cell => cell.textContent)"
        rates = "JSON.parse(document.getElementById('data').textContent).reports.map(r => r.solve.simulation.throughput.value)"
        for cell, rate in zip(tab.value(at), tab.value(rates)):
            self.assertAlmostEqual(float(cell.split(" ")[0]), rate, delta=0.006 * rate)
        before = tab.value(at)
        self.assertEqual(tab.value("document.querySelectorAll('.compare button').length"), 2)
        tab.value(f"document.querySelector('{SLIDER}').focus()")
        tab.key("ArrowRight")
        self.assertIn("3 loaders", tab.value(SENTENCE))
        moved = tab.value(at)
        self.assertEqual([x != y for x, y in zip(before, moved)], [True, True])
        tab.value("document.querySelectorAll('.compare button')[1].click()")
        tab.frame()
        other = SENTENCE.replace("-1", "-2")
        self.assertIn("3 loaders", tab.value(other))
        tab.value("document.querySelector('.compare input').click()")
        tab.value("document.querySelector('#explore-2 input[type=range]').focus()")
        tab.key("ArrowRight")
        self.assertIn("4 loaders", tab.value(other))
        self.assertEqual([x != y for x, y in zip(moved, tab.value(at))], [False, True])
        rate = float(re.search(r"([\d.]+) batches/s", tab.value(other)).group(1))
        costs = [float(cost) for cost in re.findall(r"\$([\d.]+)", tab.value(other))]
        self.assertAlmostEqual(costs[0], 7.3 / 3600 * 150 / rate, delta=0.01 * costs[0])
        self.assertLess(costs[1], costs[0])
        self.assertEqual(tab.complaints(), [])

    def test_hostile_name(self):
        hostile = "</script><script>window.owned=1</script><img src=x onerror=owned=1><b id=main>{{js}}&amp;\u2028"
        config = os.path.join(self.directory.name, "<i>hostile.ini")
        with open(config, "w", encoding="utf-8") as file:
            file.write(f"[pipeline]\nname = {hostile}\nloaders = 2\n[load]\nmean = 100ms\n[step]\nmean = 80ms\n")
        tab = self.open(make(self.directory.name, "hostile.html", "--no-explore", config))
        self.assertEqual(tab.value("typeof window.owned"), "undefined")
        self.assertEqual(tab.value("document.querySelectorAll('img, b[id], i').length"), 0)
        self.assertEqual(tab.value("document.querySelectorAll('script').length"), 2)
        self.assertIn("<script>window.owned=1", tab.value("document.querySelector('.subject').textContent"))
        self.assertEqual(tab.complaints(), [])

    def test_policy_holds(self):
        with open(self.tail, encoding="utf-8") as file:
            page = file.read()
        injected = os.path.join(self.directory.name, "injected.html")
        with open(injected, "w", encoding="utf-8") as file:
            file.write(page.replace("</main>", "<script>window.owned=1</script><img src='http://localhost:9/x.png'>"
                                    "<style>h1{color:rgb(1,2,3)!important}</style></main>", 1))
        tab = self.open(injected)
        self.assertEqual(tab.value("typeof window.owned"), "undefined")
        self.assertNotEqual(tab.value("getComputedStyle(document.querySelector('h1')).color"), "rgb(1, 2, 3)")
        self.assertGreaterEqual(len(tab.complaints()), 3)
        self.assertEqual([event["params"].get("blockedReason") for event in self.browser.events
                          if event.get("method") == "Network.loadingFailed"], ["csp"])
        self.assertEqual(tab.value("(() => { try { document.body.innerHTML = '<p>'; return 'set'; }"
                                   "catch (error) { return error.name; } })()"), "TypeError")


if __name__ == "__main__":
    if not {"DLQ_TEST_FULL", "DLQ_TEST_LONG", "DLQ_TEST_BROWSER"} & set(os.environ):
        sys.exit(77)
    Page.program = shutil.which("chromium")
    if Page.program is None:
        print("SKIPPED: there is no chromium here", file=sys.stderr)
        sys.exit(1 if os.environ.get("DLQ_TEST_BROWSER") else 77)
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
