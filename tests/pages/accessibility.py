"""What an accessibility checker looks for: names, roles, targets, contrast, and nothing hidden that has the focus."""

AUDIT = """() => {
    const found = [];
    const shown = (e) => e.checkVisibility({ visibilityProperty: true });
    const light = (c) => {
        const linear = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        const [r, g, b] = c.match(/[\\d.]+/g).map((v) => linear(v / 255));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ground = (e) => {
        for (; e; e = e.parentElement) {
            const c = getComputedStyle(e).backgroundColor;
            if (c !== 'rgba(0, 0, 0, 0)') return c;
        }
        return 'rgb(255, 255, 255)';
    };
    for (const e of document.querySelectorAll('button, textarea')) {
        if (!shown(e)) continue;
        const box = e.getBoundingClientRect();
        if (box.width < 44 || box.height < 44) found.push(`${e.id || e.textContent} is ${box.width} x ${box.height}`);
        const name = e.labels?.[0]?.textContent ?? e.textContent;
        if (!name.trim()) found.push(`${e.id} has no name`);
    }
    for (const e of document.querySelectorAll('h1, h3, p, div, span, dt, dd, a, button, textarea')) {
        const isText = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) || e.id === 'message';
        if (!isText || !shown(e) || e.closest('.unseen, .skip')) continue;
        const [a, b] = [light(getComputedStyle(e).color), light(ground(e))];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < 4.5) found.push(`${e.textContent.slice(0, 30)}: contrast ${ratio.toFixed(2)}`);
    }
    const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
    if (new Set(ids).size < ids.length) found.push('an id stands there twice');
    if (!document.documentElement.lang) found.push('no language');
    if (document.documentElement.scrollWidth > innerWidth) found.push('wider than the window');
    const scroller = document.querySelector('#scroller');
    if (scroller.scrollWidth > scroller.clientWidth) found.push('the conversation scrolls sideways');
    return found;
}"""
