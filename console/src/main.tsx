import { render } from 'preact';
import { App } from './app.tsx';
import { loadFirst } from './pages.ts';
import { applyTheme } from './theme.ts';
import './style.css';
import './frame/finding.css';
import './print.css';

applyTheme();
loadFirst();
const page = document.getElementById('page')!;
page.replaceChildren();
render(<App />, page);
