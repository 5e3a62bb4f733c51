/**
 * The service's address and the app's credentials. None of these names begins with VITE_, because Vite would put such a
 * variable into the page.
 */
const {
  SERVICE_URL = 'http://localhost:4010/2025-10-13',
  SERVICE_CLIENT_ID = 'sandbox',
  SERVICE_CLIENT_SECRET = 'sandbox',
} = process.env;

export const settings = {
  baseUrl: SERVICE_URL,
  credentials: { clientId: SERVICE_CLIENT_ID, clientSecret: SERVICE_CLIENT_SECRET },
};

export type ServiceSettings = typeof settings;
