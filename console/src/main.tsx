import { options, render } from 'preact';
import { App } from './app.tsx';
import { loadScreens } from './shell.tsx';
import { applyTheme } from './theme.ts';
import './style.css';
import './frame/find.css';
import './print.css';

// Effects begin and end before the browser goes on: what follows or holds a page is there with it, and gone with it.
options.requestAnimationFrame = queueMicrotask;
applyTheme();
// Loads the screens before it is known who is there. The place that shows one reports a failure.
loadScreens().catch(() => undefined);
const page = document.getElementById('page')!;
page.replaceChildren();
render(<App />, page);
