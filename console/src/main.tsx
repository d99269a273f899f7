import { options, render } from 'preact';
import { App } from './app.tsx';
import { loadFirst } from './pages.ts';
import { applyTheme } from './theme.ts';
import './style.css';
import './frame/find.css';
import './print.css';

// Effects begin and end before the browser goes on: what follows or holds a page is there with it, and gone with it.
options.requestAnimationFrame = queueMicrotask;
applyTheme();
loadFirst();
const page = document.getElementById('page')!;
page.replaceChildren();
render(<App />, page);
