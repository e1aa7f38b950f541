// Whoever has typed something that is not saved is asked before it is lost. What is typed is looked at here and goes
// nowhere: the pages tell this script what is a form, and it tells them nothing.
if (!window.unsavedWatch) {
    const FIELDS = 'input:not([type=file]):not([type=checkbox]):not([type=radio]), textarea';
    const CHOICES = 'input[type=checkbox], input[type=radio], [data-baseweb=select]';
    const PARTS = '[data-testid=stButtonGroup], [data-testid=stRadio], [data-testid=stPagination]';
    const BEGUN = ['focusin', 'pointerdown', 'keydown'];

    class Watch {
        constructor() {
            // Until the page has told what is a form, nobody is asked: what is typed to look around would be taken for one.
            this.isTold = false;
            this.told = {kept: [], harmless: [], ways: [], isDraft: false, saved: 0, business: '', words: {}};
            this.before = new Map();
            this.isReleased = false;
            this.isPassing = false;
            this.pressed = null;
            for (const deed of BEGUN) window.addEventListener(deed, event => this.note(event.target), true);
            window.addEventListener('input', () => { this.isReleased = false; }, true);
            window.addEventListener('click', event => this.leaves(event, this.wayOf(event.target)), true);
            for (const deed of ['pointerdown', 'mousedown', 'keydown']) {
                window.addEventListener(deed, event => this.leaves(event, this.choiceOf(event)), true);
            }
            window.navigation?.addEventListener('navigate', event => this.goesBack(event));
            window.addEventListener('beforeunload', event => {
                if (this.isUnsaved()) event.preventDefault();
            });
        }

        take(told) {
            if (told.saved !== this.told.saved) this.settle();
            if (!told.isDraft) this.isReleased = false;
            this.told = told;
            this.isTold = true;
        }

        // What was saved is as it stands from now on; what stands in another form is not.
        settle() {
            for (const field of this.before.keys()) {
                const form = formOf(field);
                if (!form || form === this.pressed) this.before.set(field, valueOf(field));
            }
        }

        // How a form was before anything was done in it.
        note(target) {
            if (!(target instanceof Element)) return;
            const form = formOf(target);
            const alone = target.matches(FIELDS) ? [target] : [];
            const fields = form ? form.querySelectorAll(`${FIELDS}, ${CHOICES}`) : alone;
            for (const field of fields) {
                if (!this.before.has(field)) this.before.set(field, valueOf(field));
            }
        }

        isWatched(field) {
            if (field.closest('[data-testid=stSidebar], [class*="st-key-aside-"], dialog.unsaved')) return false;
            // Inside a list to choose from stands a field to search it.
            if (field.matches(FIELDS) && field.closest('[data-baseweb=select]')) return false;
            return !isOneOf(field, this.told.kept);
        }

        isUnsaved() {
            if (this.isReleased || !this.isTold) return false;
            for (const [field, value] of this.before) {
                if (!field.isConnected) this.before.delete(field);
                else if (valueOf(field) !== value && this.isWatched(field)) return true;
            }
            return this.told.isDraft;
        }

        // What leads elsewhere: the menu, another part, and what opens or closes something.
        wayOf(target) {
            if (!(target instanceof Element)) return null;
            const submit = target.closest('[data-testid=stFormSubmitButton] button');
            if (submit) this.pressed = formOf(submit);
            if (submit) return null;
            const link = target.closest('[data-testid=stSidebarNavLink]');
            if (link) return link;
            const button = target.closest('button, label');
            if (!button) return null;
            const part = button.closest(PARTS);
            if (part) return isOneOf(part, this.told.kept) && !isOneOf(part, this.told.harmless) ? button : null;
            const classes = button.closest('[data-testid=stElementContainer]')?.className ?? '';
            const leads = this.told.ways.some(way => new RegExp(`st-key-${way}(-|\\s|$)`).test(classes));
            return leads || /^(arrow_back|logout)/.test(button.textContent.trim()) ? button : null;
        }

        // The list of businesses is asked about before it opens: it closes as soon as something else is looked at.
        choiceOf(event) {
            const isSkipped = event.type === 'keydown' && ['Tab', 'Shift', 'Escape'].includes(event.key);
            if (isSkipped || !(event.target instanceof Element)) return null;
            return event.target.closest(`[data-testid=stSidebar] .${CSS.escape(`st-key-${this.told.business}`)}`);
        }

        leaves(event, way) {
            if (this.isPassing || !way || !this.isUnsaved()) return;
            event.preventDefault();
            event.stopImmediatePropagation();
            this.ask(() => {
                this.isPassing = true;
                way.matches('a, button, label') ? way.click() : way.querySelector('input')?.focus();
                this.isPassing = false;
            });
        }

        // Back and Forward within the pages; to elsewhere the browser itself asks. Where it lets nobody be held up, as
        // on the second Back in a row, it goes on.
        goesBack(event) {
            const isWithin = event.navigationType === 'traverse' && event.destination.sameDocument;
            if (!isWithin || !event.cancelable || !this.isUnsaved()) return;
            event.preventDefault();
            const {key} = event.destination;
            this.ask(() => window.navigation.traverseTo(key));
        }

        ask(leave) {
            if (document.querySelector('dialog.unsaved')) return;
            const {question, about, stays, leaves} = this.told.words;
            const page = getComputedStyle(document.querySelector('[data-testid=stApp]'));
            const dialog = element('dialog', {className: 'unsaved'});
            dialog.setAttribute('aria-labelledby', 'unsaved-question');
            dialog.style.cssText = `max-width: min(28rem, calc(100vw - 2rem)); padding: 1.25rem;
                border: 1px solid #8886; border-radius: 0.75rem; font-family: ${page.fontFamily.replaceAll('"', "'")};
                color: ${page.color}; background: ${page.backgroundColor}`;
            const row = element('div', {});
            row.style.cssText = 'display: flex; flex-wrap: wrap; gap: 0.75rem; margin-top: 1rem';
            row.append(this.button(stays, dialog, true), this.button(leaves, dialog, false));
            const title = element('strong', {id: 'unsaved-question', textContent: question});
            dialog.append(title, element('p', {textContent: about}), row);
            dialog.addEventListener('close', () => {
                dialog.remove();
                if (dialog.returnValue === leaves) {
                    this.before.clear();
                    this.isReleased = true;
                    leave();
                }
            });
            document.body.append(dialog);
            dialog.showModal();
        }

        button(label, dialog, isFirst) {
            const button = element('button', {type: 'button', textContent: label, autofocus: isFirst});
            const colors = isFirst ? 'color: #ffffff; background: #0f766e; border: 1px solid #0f766e'
                : 'color: inherit; background: transparent; border: 1px solid currentColor';
            const shape = 'font: inherit; padding: 0.5rem 1rem; border-radius: 0.5rem; cursor: pointer';
            button.style.cssText = `${colors}; ${shape}`;
            button.addEventListener('click', () => dialog.close(label));
            return button;
        }
    }

    function element(name, facts) {
        return Object.assign(document.createElement(name), facts);
    }

    function isOneOf(field, keys) {
        return keys.some(key => field.closest(`.${CSS.escape(`st-key-${key}`)}`));
    }

    function formOf(field) {
        return field.closest('[data-testid=stForm]');
    }

    function valueOf(field) {
        if (field.matches('[type=checkbox], [type=radio]')) return String(field.checked);
        return field.matches('input, textarea') ? field.value : field.textContent;
    }

    window.unsavedWatch = new Watch();
}
