"use strict";
const place = document.getElementById("api-docs");
SwaggerUIBundle({ url: place.dataset.schema, domNode: place, deepLinking: true });
