import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/App.js';

const container = document.getElementById('console');
if (container === null) throw new Error('The page has no place for the console');
createRoot(container).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
