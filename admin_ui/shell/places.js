// One thing that somebody does makes one entry in the browser's history, so that Back goes to the place before.
// Streamlit makes one for the page and one for what stands in its address, and one more as the page fills in the rest.
if (!window.placesAreJoined) {
    window.placesAreJoined = true;
    const [push, replace] = [history.pushState.bind(history), history.replaceState.bind(history)];
    // The first address of a page that is loaded is made whole, and so is one that was gone back to.
    let isWhole = false;
    window.placeNow = location.href;
    for (const deed of ['pointerdown', 'keydown', 'click', 'input']) {
        window.addEventListener(deed, () => { isWhole = true; }, true);
    }
    window.addEventListener('popstate', () => { isWhole = false; window.placeNow = location.href; });
    history.pushState = (state, title, url) => {
        (isWhole ? push : replace)(state, title, url);
        isWhole = false;
        window.placeNow = location.href;
    };
    history.replaceState = (state, title, url) => {
        replace(state, title, url);
        window.placeNow = location.href;
    };
    // Whoever went back and stays all the same has their place as a new one.
    window.placeAgain = url => { push({}, '', url); window.placeNow = url; };
}
