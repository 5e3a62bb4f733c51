import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Console } from './app.tsx';
import { servingSandbox } from './platform/connection.ts';
import './style.css';

const place = document.getElementById('console');
if (place !== null) {
  createRoot(place).render(
    <StrictMode>
      <Console connection={servingSandbox} />
    </StrictMode>,
  );
}
