import { render } from 'preact';
import { App } from './app.tsx';
import { applyTheme } from './theme.ts';
import './style.css';

applyTheme();
render(<App />, document.getElementById('page')!);
