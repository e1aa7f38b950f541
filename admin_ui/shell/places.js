// One thing that somebody does makes one entry in the browser's history, so that Back goes to the place before.
// Streamlit makes one for the page and one for what stands in its address, and one more as the page fills in the rest.
if (!window.placesAreJoined) {
    window.placesAreJoined = true;
    const push = history.pushState.bind(history);
    // The first address of a page that is loaded is made whole, and so is one that was gone back to.
    let isWhole = false;
    for (const deed of ['pointerdown', 'keydown', 'click', 'input']) {
        window.addEventListener(deed, () => { isWhole = true; }, true);
    }
    window.addEventListener('popstate', () => { isWhole = false; });
    history.pushState = (state, title, url) => {
        if (isWhole) push(state, title, url);
        else history.replaceState(state, title, url);
        isWhole = false;
    };
}
