/** Serves the built page and its relay: `npm run build && npm start`. */
import express from 'express';
import { findDemoCustomer } from './customer.ts';
import { createRelay } from './relay.ts';
import { settings } from './settings.ts';

const customerId = await findDemoCustomer(settings);
const app = express();
app.use('/api', createRelay({ ...settings, customerOf: () => customerId }));
app.use(express.static(`${import.meta.dirname}/../dist`));
const port = Number(process.env['PORT'] ?? 3000);
app.listen(port, 'localhost', () => console.log(`http://localhost:${port}`));
