BEGIN TRANSACTION;
CREATE TABLE "Account" (
	id VARCHAR(255) NOT NULL, 
	"Name" VARCHAR(255), 
	"Type" VARCHAR(255), 
	"AnnualRevenue" VARCHAR(255), 
	"BillingCity" VARCHAR(255), 
	"ParentId" VARCHAR(255), 
	PRIMARY KEY (id)
);
INSERT INTO "Account" VALUES('Account-1','Nordic Books','Prospect','1000000.0','Oslo','');
INSERT INTO "Account" VALUES('Account-2','Ærø & Søn','','','','Account-1');
INSERT INTO "Account" VALUES('Account-3','O''Neil "100%" <co>','Other','12.0','','Account-2');
CREATE TABLE "Contact" (
	id VARCHAR(255) NOT NULL, 
	"FirstName" VARCHAR(255), 
	"LastName" VARCHAR(255), 
	"Email" VARCHAR(255), 
	"Title" VARCHAR(255), 
	"AccountId" VARCHAR(255), 
	PRIMARY KEY (id)
);
INSERT INTO "Contact" VALUES('Contact-1','Ana','Ng','ana@example.org','Captain','Account-1');
INSERT INTO "Contact" VALUES('Contact-2','Bo','Berg','','Mate','Account-1');
INSERT INTO "Contact" VALUES('Contact-3','','Dahl','dahl@example.org','','Account-3');
INSERT INTO "Contact" VALUES('Contact-4','Eva','Orphan','','','');
COMMIT;
